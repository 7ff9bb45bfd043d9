"""Blocks system calls in the sandbox with a filter for `bwrap --seccomp`.

Namespaces and dropped capabilities isolate the code. The filter blocks what they leave open: sockets outside of network
namespaces (a VM's vsock), keyrings shared with the host, memory that belongs to no process (memfd, System V), disk space taken
without writing, new user namespaces, and large parts of the kernel that tests of code never need.
"""

import errno
import platform
import struct

_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32 = 0x40000000
_REFUSED = {  # name: (number on x86_64, on aarch64, the error it gives)
    "memfd_create": (319, 279, errno.ENOSYS),
    "memfd_secret": (447, 447, errno.ENOSYS),
    "shmget": (29, 194, errno.ENOSYS),
    "msgget": (68, 186, errno.ENOSYS),
    "semget": (64, 190, errno.ENOSYS),
    "fallocate": (285, 47, errno.EOPNOTSUPP),
    "add_key": (248, 217, errno.ENOSYS),
    "request_key": (249, 218, errno.ENOSYS),
    "keyctl": (250, 219, errno.ENOSYS),
    "bpf": (321, 280, errno.ENOSYS),
    "perf_event_open": (298, 241, errno.ENOSYS),
    "userfaultfd": (323, 282, errno.ENOSYS),
    "io_uring_setup": (425, 425, errno.ENOSYS),
    "io_uring_enter": (426, 426, errno.ENOSYS),
    "io_uring_register": (427, 427, errno.ENOSYS),
    "clone3": (435, 435, errno.ENOSYS),  # its flags cannot be inspected. The C library then uses clone
    "setns": (308, 268, errno.EPERM),
}
_SOCKET, _CLONE, _UNSHARE = (41, 198), (56, 220), (272, 97)
_FAMILIES = (1, 2, 10, 16)  # AF_UNIX, AF_INET, AF_INET6, AF_NETLINK
_CLONE_NEWUSER = 0x10000000

_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_LOAD, _RETURN, _EQUAL, _AT_LEAST, _ANY_BIT = 0x20, 0x06, 0x15, 0x35, 0x45
_NUMBER, _ARCH, _FIRST_ARGUMENT = 0, 4, 16  # offsets in struct seccomp_data


def seccomp_filter() -> bytes | None:
    """The filter as classic BPF. None for an unsupported processor."""
    machine = platform.machine()
    if machine not in _AUDIT_ARCH:
        return None
    which = list(_AUDIT_ARCH).index(machine)
    program = [(_LOAD, 0, 0, _ARCH), (_EQUAL, 1, 0, _AUDIT_ARCH[machine]), (_RETURN, 0, 0, _KILL)]
    program += [(_LOAD, 0, 0, _NUMBER), (_AT_LEAST, 0, 1, _X32), (_RETURN, 0, 0, _ERRNO | errno.ENOSYS)]
    for *numbers, error in _REFUSED.values():
        program += [(_EQUAL, 0, 1, numbers[which]), (_RETURN, 0, 0, _ERRNO | error)]
    for numbers in (_CLONE, _UNSHARE):
        program += [(_EQUAL, 0, 4, numbers[which]), (_LOAD, 0, 0, _FIRST_ARGUMENT), (_ANY_BIT, 0, 1, _CLONE_NEWUSER)]
        program += [(_RETURN, 0, 0, _ERRNO | errno.EPERM), (_RETURN, 0, 0, _ALLOW)]
    program += [(_EQUAL, 0, 2 + len(_FAMILIES), _SOCKET[which]), (_LOAD, 0, 0, _FIRST_ARGUMENT)]
    program += [(_EQUAL, len(_FAMILIES) - index, 0, family) for index, family in enumerate(_FAMILIES)]
    program += [(_RETURN, 0, 0, _ERRNO | errno.EAFNOSUPPORT), (_RETURN, 0, 0, _ALLOW)]
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)
