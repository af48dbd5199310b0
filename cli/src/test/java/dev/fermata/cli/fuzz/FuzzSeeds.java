package dev.fermata.cli.fuzz;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Where the fuzzer begins: an ordinary input of every kind. */
final class FuzzSeeds {
    /** The first character chooses the reader of {@link ReaderFuzz}. */
    static final List<String> TEXTS = List.of(
            """
            0name: train-7
            gpus: 2-4
            gpuType: [V100, H100]
            limit: 1h30m
            priority: -5
            env: {LR: 1e-4, A: .inf}
            secrets: [A]
            array: 0-9%3
            after: [1, {job: 2, when: ok}]
            preempt: {grace: 30s, maxTimes: 3, minRuntime: 5m, onPreempt: hold}
            checkpoint: {signal: USR1, dir: ckpt, interval: 10m}
            progress: {pattern: 'step (\\d+)/(\\d+)', total: 100}
            run: |
              python train.py --epochs 3
            """,
            """
            1{"name":"a","gpus":1,"nodes":2,"memory":"4GiB","cpus":1.5,"class":"trial","run":["python","a b"],
            "user":"ann","queue":"research/nlp","estimate":"10m","model":"resnet50","batchSize":64,"notBefore":"2026-01-31T08:00:00Z"}""",
            """
            2#!/bin/bash -l
            #SBATCH --job-name="a job" -p gpu,long
            #SBATCH --gres=gpu:v100:2 -N 1-2 --ntasks-per-node=4
            #SBATCH -t 1-02:03:04 --array=1,3-9:2%4
            #SBATCH --dependency=afterok:1:2,singleton
            #SBATCH --mem=4G --signal=B:USR1@60 --export=ALL,A=1 # remark
            srun python train.py "$1"
            #SBATCH --late
            """,
            "3policy: fermata\nseed: [1, 2]\ncluster: 4x8:V100\n",
            """
            4queues:
              - path: research
                guarantee: 8
                limit: 16
                weight: 1.5
                users: [ann, bob]
                userGpus: 4
                fairUsers: true
                trials: {users: [ann], gpus: 1, time: 10m, totalGpus: 4}
                queues:
                  - {name: nlp, maxGrace: 1m, maxMinRuntime: 5m}
            """,
            "5las:queues=3,threshold=100,ratio=2.5,place=skew",
            "6cd /a && A=1 torchrun --nproc-per-node=4 \"it's\" 'x y' \\\n --epochs=90 --max_steps 10 | tee $(date) > log; # end",
            """
            7loss .* step (\\d+) of (\\d+)
            Epoch 1/3: 100%|███| 10/10 [00:03<00:00, 3.1it/s]\r{'loss': 0.1, 'epoch': 0.5}
            train: step 5 of 10
            Iter [100/1000] eta: 0:01:02
            """);

    /** {@link HttpFuzz} fills in TOKEN and LENGTH. */
    static final List<String> REQUESTS = List.of(
            request("GET", "/api/v1/jobs?limit=10&state=PENDING,live&user=ann&reasons=true&starts=true&cursor=x", ""),
            request("GET", "/api/v1/jobs/1/explain", ""),
            request("GET", "/api/v1/jobs/1/logs?stream=stdout&attempt=1&tail=10", ""),
            request("GET", "/api/v1/events?type=Started&cursor=5&limit=2", ""),
            request("GET", "/api/v1/preemptions/summary?by=day&since=2026-01-31T08:00:00Z", ""),
            request("GET", "/api/v1/profiles?job=1", ""),
            request("GET", "/metrics", ""),
            request("GET", "/healthz", ""),
            request(
                    "POST",
                    "/api/v1/jobs?dryRun=true",
                    "{\"name\":\"a\",\"gpus\":1,\"run\":\"true\",\"array\":\"0-3\",\"after\":[1],\"env\":{\"A\":\"1\"}}"),
            request(
                    "POST",
                    "/api/v1/jobs",
                    "{\"jobs\":[{\"run\":\"true\"},{\"run\":\"x\",\"hold\":true,\"limit\":\"1h\"}]}"),
            request("PATCH", "/api/v1/jobs/1", "{\"priority\":3,\"limit\":\"2h\",\"queue\":\"b\"}"),
            request("DELETE", "/api/v1/jobs/1", ""),
            request("POST", "/api/v1/jobs/1/hold", ""),
            request("POST", "/api/v1/nodes/0/drain?reason=x", ""),
            request(
                    "PUT",
                    "/api/v1/queues",
                    "{\"queues\":[{\"path\":\"a/b\",\"guarantee\":1,\"limit\":2,\"weight\":1.5,\"users\":[\"ann\"],\"userGpus\":2}]}"),
            request(
                    "PUT",
                    "/api/v1/profiles",
                    "{\"profiles\":[{\"command\":\"train.py\",\"gpuType\":\"V100\",\"gpus\":1,\"stepMillis\":100}]}"),
            request("POST", "/api/v1/tokens", "{\"user\":\"ann\",\"role\":\"viewer\",\"expires\":\"1h\"}"),
            request("POST", "/session", "{\"token\":\"TOKEN\"}"),
            request("POST", "/api/v1/attempts/1.1/reports", "{\"reports\":[{\"step\":1,\"total\":10}]}"));

    private FuzzSeeds() {}

    private static String request(String verb, String path, String body) {
        return verb + " " + path
                + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer TOKEN\r\nConnection: close\r\n"
                + (body.isEmpty() ? "" : "Content-Type: application/json\r\nContent-Length: LENGTH\r\n")
                + "\r\n"
                + body;
    }

    /** Writes one file for each into this folder. */
    static void write(Path folder, List<String> seeds) throws IOException {
        for (int i = 0; i < seeds.size(); i++) {
            Files.write(folder.resolve("seed-" + i), seeds.get(i).getBytes(UTF_8));
        }
    }
}
