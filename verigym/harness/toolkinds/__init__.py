"""The kinds of tool that a tools file can declare, one file each. `harness.tools_file` reads the file."""
