"""Packs the program as an image for containers, an OCI layout in a tar file: python3 oci.py TREE OUT VERSION EPOCH.

The one layer holds the program, its runtime, and the C libraries that the runtime is linked with. There is no shell in it:
the entry point is the Java runtime itself.
"""

import gzip
import hashlib
import io
import json
import os
import platform
import re
import subprocess
import sys
import tarfile

HOME = "opt/fermata"
MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}


def system_libraries(tree):
    """The loader and the shared libraries of the machine that the runtime needs, by the names it asks for."""
    found = {}
    for folder, _, files in os.walk(os.path.join(tree, "runtime")):
        for name in files:
            path = os.path.join(folder, name)
            if name.endswith(".so") or folder.endswith("/bin"):
                printed = subprocess.run(["ldd", path], capture_output=True, text=True).stdout
                for library in re.findall(r"(/\S+) \(0x", printed):
                    if not library.startswith(tree):
                        found[library] = os.path.realpath(library)
    return found


class Layer:
    def __init__(self, epoch):
        self.epoch = epoch
        self.raw = io.BytesIO()
        self.tar = tarfile.open(fileobj=self.raw, mode="w", format=tarfile.GNU_FORMAT)
        self.folders = set()

    def _add(self, info, content=None):
        info.mtime, info.uid, info.gid, info.uname, info.gname = self.epoch, 0, 0, "", ""
        self.tar.addfile(info, content)

    def folder(self, name, mode=0o755):
        parent = os.path.dirname(name)
        if parent and parent not in self.folders:
            self.folder(parent)
        if name not in self.folders:
            self.folders.add(name)
            info = tarfile.TarInfo(name)
            info.type, info.mode = tarfile.DIRTYPE, mode
            self._add(info)

    def data(self, name, content, mode=0o644):
        self.folder(os.path.dirname(name))
        info = tarfile.TarInfo(name)
        info.size, info.mode = len(content), mode
        self._add(info, io.BytesIO(content))

    def file(self, name, path):
        with open(path, "rb") as file:
            self.data(name, file.read(), 0o755 if os.access(path, os.X_OK) else 0o644)

    def tree(self, name, path):
        for folder, folders, files in os.walk(path):
            folders.sort()
            for entry in sorted(files):
                full = os.path.join(folder, entry)
                inside = os.path.join(name, os.path.relpath(full, path))
                if os.path.islink(full):
                    self.folder(os.path.dirname(inside))
                    info = tarfile.TarInfo(inside)
                    info.type, info.linkname = tarfile.SYMTYPE, os.readlink(full)
                    self._add(info)
                else:
                    self.file(inside, full)

    def finish(self):
        self.tar.close()
        return self.raw.getvalue()


def main(tree, out, version, epoch):
    epoch = int(epoch)
    layer = Layer(epoch)
    layer.data("etc/passwd", b"root:x:0:0:root:/root:/sbin/nologin\nfermata:x:64000:64000::/var/lib/fermata:/sbin/nologin\n")
    layer.data("etc/group", b"root:x:0:\nfermata:x:64000:\n")
    layer.folder("tmp", 0o1777)
    for wanted, path in sorted(system_libraries(tree).items()):
        layer.file(wanted.lstrip("/"), path)
    layer.tree(HOME, tree)
    layer.folder("var/lib/fermata", 0o777)
    unpacked = layer.finish()
    packed = gzip.compress(unpacked, 6, mtime=0)
    blobs = {}

    def blob(content, media):
        digest = hashlib.sha256(content).hexdigest()
        blobs["blobs/sha256/" + digest] = content
        return {"mediaType": media, "digest": "sha256:" + digest, "size": len(content)}

    config = {
        "architecture": MACHINES.get(platform.machine(), platform.machine()),
        "os": "linux",
        "config": {
            "User": "64000:64000",
            "WorkingDir": "/var/lib/fermata",
            "Env": ["HOME=/var/lib/fermata", "PATH=/" + HOME + "/runtime/bin"],
            "Entrypoint": [
                "/" + HOME + "/runtime/bin/java",
                "-XX:+UseSerialGC",
                "-XX:MaxRAMPercentage=60",
                "-XX:+ExitOnOutOfMemoryError",
                "-cp",
                "/" + HOME + "/fermata.jar",
                "dev.fermata.cli.Main",
            ],
            "Cmd": ["--help"],
            "Labels": {"org.opencontainers.image.title": "fermata", "org.opencontainers.image.version": version},
        },
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(unpacked).hexdigest()]},
    }
    manifest = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": blob(json.dumps(config, sort_keys=True).encode(), "application/vnd.oci.image.config.v1+json"),
        "layers": [blob(packed, "application/vnd.oci.image.layer.v1.tar+gzip")],
    }
    entry = blob(json.dumps(manifest, sort_keys=True).encode(), manifest["mediaType"])
    entry["annotations"] = {"org.opencontainers.image.ref.name": version}
    index = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [entry]}
    image = Layer(epoch)
    image.data("oci-layout", b'{"imageLayoutVersion":"1.0.0"}')
    image.data("index.json", json.dumps(index, sort_keys=True).encode())
    for name in sorted(blobs):
        image.data(name, blobs[name])
    with open(out, "wb") as file:
        file.write(image.finish())


if __name__ == "__main__":
    main(*sys.argv[1:])
