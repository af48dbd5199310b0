"""Prints a list of what the program is made of, as CycloneDX JSON: python3 sbom.py VERSION FERMATA_JAR JAVA LIST."""

import hashlib
import json
import re
import subprocess
import sys


def libraries(listed):
    """Coordinates of the libraries, from what maven-dependency-plugin lists for every module."""
    with open(listed) as lines:
        for line in lines:
            found = re.match(r"\s+([^:\s]+):([^:\s]+):jar:(?:[^:\s]+:)?([^:\s]+):(?:compile|runtime)\b", line)
            if found:
                yield found.groups()


def component(group, name, version):
    purl = "pkg:maven/%s/%s@%s" % (group, name, version)
    return {"type": "library", "bom-ref": purl, "group": group, "name": name, "version": version, "purl": purl}


def main(version, jar, java, listed):
    parts = [component(*found) for found in sorted(set(libraries(listed))) if found[0] != "dev.fermata"]
    release = subprocess.run([java, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    parts.append({"type": "platform", "bom-ref": "java-runtime", "name": "OpenJDK", "version": release.split()[1]})
    with open(jar, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    json.dump(
        {
            "bomFormat": "CycloneDX",
            "specVersion": "1.5",
            "version": 1,
            "metadata": {
                "component": {
                    "type": "application",
                    "bom-ref": "fermata",
                    "name": "fermata",
                    "version": version,
                    "hashes": [{"alg": "SHA-256", "content": digest}],
                }
            },
            "components": parts,
            "dependencies": [{"ref": "fermata", "dependsOn": [part["bom-ref"] for part in parts]}],
        },
        sys.stdout,
        indent=1,
    )
    print()


if __name__ == "__main__":
    main(*sys.argv[1:])
