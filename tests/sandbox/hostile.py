"""Programs that try to get out of a sandbox, as the body of a function that returns something true when it is out.

A program is handed the names in `targets` (see test_escape.py). `control`: a plain process does reach it, which proves that the
program works; "root": as root only. Programs without a control would do harm, or are refused everywhere.
"""

from typing import Literal, NamedTuple


class Hostile(NamedTuple):
    name: str
    body: str
    control: bool | Literal["root"] = False


WRAP = """
import ctypes, fcntl, mmap, os, resource, signal, socket, stat, subprocess, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *args):
    done = libc.syscall(number, *args)
    if done < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return done + 1
def attempt():
{body}
try:
    got = attempt()
except (OSError, ValueError) as error:
    print("refused:", error)
    got = None
print("OUT" if got else "IN")
"""

HOSTILE = [
    # the network
    Hostile("tcp to the host's loopback", "return socket.create_connection(('127.0.0.1', PORT), 1)", True),
    Hostile("tcp to the host by name", "return socket.create_connection(('localhost', PORT), 1)", True),
    Hostile("tcp to the internet", "return socket.create_connection(('1.1.1.1', 53), 1)"),
    Hostile("tcp over ipv6", "return socket.create_connection(('2606:4700:4700::1111', 53), 1)"),
    Hostile("udp", "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', UDP_PORT)); time.sleep(.1)"),
    Hostile("names of the internet", "return socket.getaddrinfo('example.com', 80)"),
    Hostile("abstract unix socket", "s = socket.socket(socket.AF_UNIX); s.connect('\\0' + ABSTRACT); return s", True),
    Hostile("unix socket in a folder", "s = socket.socket(socket.AF_UNIX); s.connect(UNIX); return s", True),
    Hostile("raw socket", "return socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)", "root"),
    Hostile("packet socket", "return socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 3)", "root"),
    Hostile("the hypervisor's vsock", "return socket.socket(40, socket.SOCK_STREAM)"),
    Hostile("the kernel's crypto socket", "return socket.socket(38, socket.SOCK_SEQPACKET)"),
    Hostile("the host's network devices", "return [n for _, n in socket.if_nameindex() if n != 'lo']"),
    # the host's files
    Hostile("a secret file", "return open(SECRET).read()", True),
    Hostile("a secret file by ..", "return open('../' * 20 + SECRET).read()", True),
    Hostile("a secret file by /proc/self/root", "return open('/proc/self/root' + SECRET).read()", True),
    Hostile("a secret file by /proc/1/root", "return open('/proc/1/root' + SECRET).read()"),
    Hostile("a secret file by a symlink", "os.symlink(SECRET, LINK); return open(LINK).read()", True),
    Hostile("a hard link to a file of the host", "os.link(SECRET, HARD); return open(HARD).read()", True),
    Hostile("a hard link to a file it can read", "os.link('/usr/bin/env', './env'); return True"),
    Hostile("password hashes", "return open('/etc/shadow').read()", "root"),
    Hostile("the host's users", "return open('/etc/passwd').read()", True),
    Hostile("the home folder", "return [n for n in os.listdir(HOME) if not sys.base_prefix.startswith(HOME + '/' + n)]"),
    Hostile("the repository", "return open(REPO + '/pyproject.toml').read()", True),
    Hostile("the shared /tmp", "return os.path.basename(SHARED) in os.listdir('/tmp')", True),
    Hostile("the shared /dev/shm", "return SHM in os.listdir('/dev/shm')", True),
    Hostile("/run", "return os.listdir('/run')", True),
    Hostile("/var", "return os.listdir('/var')", True),
    Hostile("the control groups", "return os.listdir('/sys/fs/cgroup')", True),
    Hostile("kernel devices", "return [d for d in ('vda', 'sda', 'mem', 'kmsg', 'fuse') if os.path.exists('/dev/' + d)]"),
    Hostile("another box", "return os.path.exists(BOX) and os.listdir(BOX)", "root"),
    # writing to the host
    Hostile(
        "writing outside of the box",
        "got = []\n"
        "for place in ('/', '/usr', '/usr/bin', '/etc', '/etc/alternatives', '/dev', '/proc', '/bin', sys.base_prefix):\n"
        "    try: os.close(os.open(place + '/verigym-was-here', os.O_CREAT | os.O_WRONLY)); got.append(place)\n"
        "    except OSError: pass\n"
        "return got",
    ),
    Hostile("changing a program of the host", "return os.chmod(os.path.realpath(sys.executable), 0o777) or True"),
    Hostile("the kernel's core pattern", "return os.open('/proc/sys/kernel/core_pattern', os.O_WRONLY)", "root"),
    Hostile("the kernel's caches", "return os.open('/proc/sys/vm/drop_caches', os.O_WRONLY)", "root"),
    Hostile("the out-of-memory killer", "return os.write(os.open('/proc/self/oom_score_adj', os.O_WRONLY), b'-999')"),
    Hostile("mounting over a folder", "return call(165, b'none', b'/box', b'tmpfs', 0, None)"),
    Hostile("making the root writable", "return call(165, b'none', b'/usr', None, 32 | 4096, None)"),
    Hostile("changing root", "return os.chroot('/box') or True"),
    Hostile("making a device", "return os.mknod('disk', 0o600 | stat.S_IFBLK, os.makedev(254, 0)) or True"),
    Hostile("becoming root", "return os.setuid(0) or True", "root"),
    Hostile("a file that makes root", "open('id', 'w').close(); os.chown('id', 0, 0); os.chmod('id', 0o4755); return True"),
    # the parent and other processes
    Hostile("variables of the environment", "return [v for v in os.environ.values() if TOKEN in v]", True),
    Hostile("a neighbour's environment", "return TOKEN in open(f'/proc/{VICTIM}/environ').read()", True),
    Hostile("the first process's environment", "return TOKEN in open('/proc/1/environ').read()"),
    Hostile(
        "every environment in /proc",
        "for pid in filter(str.isdigit, os.listdir('/proc')):\n"
        "    try: text = open(f'/proc/{pid}/environ').read()\n"
        "    except OSError: continue\n"
        "    if TOKEN in text: return True",
        True,
    ),
    Hostile("the list of processes", "return os.path.exists(f'/proc/{VICTIM}')", True),
    Hostile("killing a process of the host", "os.kill(VICTIM, signal.SIGKILL); return True", True),
    Hostile("killing the parent", "os.kill(PARENT, signal.SIGKILL); return True"),
    Hostile("tracing a process of the host", "return call(101, 16, VICTIM, 0, 0)", "root"),
    Hostile("the memory of a process of the host", "return open(f'/proc/{VICTIM}/mem', 'rb')", True),
    Hostile("the priority of a process of the host", "os.setpriority(os.PRIO_PROCESS, VICTIM, 1); return True", True),
    Hostile("the limits of a process of the host", "resource.prlimit(VICTIM, resource.RLIMIT_CORE, (0, 0)); return True", True),
    Hostile("joining a namespace of the host", "return call(308, os.open(f'/proc/{VICTIM}/ns/net', os.O_RDONLY), 0)"),
    Hostile("open files of the parent", "return [n for n in range(3, 999) if os.path.exists(f'/proc/self/fd/{n}')]", True),
    Hostile("the parent's terminal", "return fcntl.ioctl(os.open('/dev/tty', os.O_RDWR), 0x5412, b'x') or True"),
    # the kernel
    Hostile("a new user namespace", "return call(272, 0x10000000)", "root"),
    Hostile("a new network namespace", "return call(272, 0x40000000)", "root"),
    Hostile("a process in a new user namespace", "return call(56, 0x10000000 | 17, 0, 0, 0, 0)"),
    Hostile("flags that cannot be looked at", "return call(435, 0, 0)"),
    Hostile("the host's keyring", "return call(250, 0, -3, 1)", True),
    Hostile("memory that no process owns", "return os.memfd_create('x')", True),
    Hostile("shared memory that outlives it", "return call(29, 0, 4096, 0o1600)"),
    Hostile("disk space without writing", "return call(285, os.open(LINK, os.O_CREAT | os.O_RDWR), 0, 0, 4096)", True),
    Hostile("io_uring", "return call(425, 1, ctypes.create_string_buffer(256))"),
    Hostile("programs in the kernel", "return call(321, 5, ctypes.create_string_buffer(128), 128)"),
    Hostile("performance counters", "return call(298, ctypes.create_string_buffer(128), 0, -1, -1, 0)"),
    Hostile("the clock", "return time.clock_settime(time.CLOCK_REALTIME, time.time()) or True"),
    Hostile("the name of the host", "return socket.gethostname() == HOSTNAME or socket.sethostname('x') or True"),
    Hostile("a better priority", "return os.nice(-5) or True"),
    Hostile("more than its limits", "resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096)); return True", True),
    Hostile("as many processes as it likes", "resource.setrlimit(resource.RLIMIT_NPROC, (4096, 4096)); return True"),
]  # fmt: skip
