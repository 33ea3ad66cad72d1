"""with_servers.py COUNT COMMAND...: runs a command beside so many TensorFlow servers on the loopback, the tasks of one cluster.

What a server prints comes out with its task before it. In the command, {0}, {1}, ... stand for the servers' addresses, such as 127.0.0.1:4711. The exit code is the command's. The servers are
processes of their own, made by the C API of the library in TFX_TENSORFLOW_DIR, and end with this one.
"""

import ctypes
import os
import socket
import subprocess
import sys

OK = 0


def field(number, content):
    """A field of a protobuf message: a number, or bytes."""

    def varint(value):
        encoded = b""
        while value > 127:
            encoded += bytes([value & 127 | 128])
            value >>= 7
        return encoded + bytes([value])

    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    return varint(number << 3 | 2) + varint(len(content)) + content


def server_def(addresses, task):
    """A ServerDef: the cluster with its one job "worker", and which of its tasks this is."""
    tasks = b"".join(
        field(2, field(1, index) + field(2, address.encode())) for index, address in enumerate(addresses)
    )
    cluster = field(1, field(1, b"worker") + tasks)
    return field(1, cluster) + field(2, b"worker") + field(3, task) + field(5, b"grpc")


def serve(addresses, task):
    """Runs one server until standard input ends."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
    library = ctypes.CDLL(os.path.join(os.environ["TFX_TENSORFLOW_DIR"], "lib", "libtensorflow.so"))
    library.TF_NewStatus.restype = ctypes.c_void_p
    library.TF_NewServer.restype = ctypes.c_void_p
    library.TF_Message.restype = ctypes.c_char_p
    status = ctypes.c_void_p(library.TF_NewStatus())
    definition = server_def(addresses, task)
    server = ctypes.c_void_p(library.TF_NewServer(definition, ctypes.c_size_t(len(definition)), status))
    if library.TF_GetCode(status) == OK:
        library.TF_ServerStart(server, status)
    if library.TF_GetCode(status) != OK:
        sys.exit(f"no server on {addresses[task]}: {library.TF_Message(status).decode()}")
    print("ready", flush=True)
    sys.stdin.read()
    os._exit(0)


def free_addresses(count):
    """Addresses that nobody uses now."""
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    addresses = [f"127.0.0.1:{each.getsockname()[1]}" for each in sockets]
    for each in sockets:
        each.close()
    return addresses


def main():
    if sys.argv[1] == "serve":
        serve(sys.argv[3:], int(sys.argv[2]))
    addresses = free_addresses(int(sys.argv[1]))
    servers = []
    try:
        for task in range(len(addresses)):
            command = [sys.executable, __file__, "serve", str(task), *addresses]
            servers.append(
                subprocess.Popen(
                    command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
                )
            )
        for server in servers:
            said = server.stdout.readline()
            if said != "ready\n":
                print(said, end="")
                return 1
        return subprocess.run([word.format(*addresses) for word in sys.argv[2:]]).returncode
    finally:
        for task, server in enumerate(servers):
            server.kill()
            for line in server.communicate()[0].splitlines():
                print(f"task {task}: {line}")


sys.exit(main())
