package dev.fermata.sim.trace;

import dev.fermata.sim.trace.read.TraceReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** A few made-up jobs in every format, with something to drop where the format can hold it. */
public final class TraceSamples {
    private static final Map<String, String> ALL = new LinkedHashMap<>();

    static {
        ALL.put("fermata", """
                id,submit_s,gpus,duration_s,name,user,queue,class,model,batch,gpu_type,gpu_mem_mib,cpus,mem_mib,min_gpus,max_gpus,grace_s,iterations,declared_s,priority,gpu_milli,after,array,array_limit
                a,0,2,60.5,first run,eve,q/a,trial,resnet50,64,V100|A100,4096,11.908,1000,1,4,30,5000000000,120,-3,500,,,
                b,1.25,1,7,,,,,,,,,,,,,,,,,,a:success,sweep,2
                c,1.25,8,3600,"odd, \""name\""",zoë,default,batch,my-model,,,,,,,,,,,,,a:any b:failure,sweep,2
                """);
        ALL.put("philly", """
                timestamp,duration,num_gpus,gpu_time,cluster
                2019-03-02 10:00:05,90.0,2,180.0,ab12
                2019-03-02 10:00:00,30.5,1,30.5,cd34

                2019-03-03 10:00:00,0.0,4,0.0,ab12
                2019-03-02 10:00:05,7.0,0,0.0,ab12
                2019-03-02 10:00:05,12.0,1,12.0,ab12
                """);
        ALL.put("philly-json", """
                [
                  {"status": "Pass", "vc": "vc1", "jobid": "application_7", "user": "ann",
                   "submitted_time": "2019-03-02 10:00:00",
                   "attempts": [
                     {"start_time": "2019-03-02 10:01:00", "end_time": "2019-03-02 10:02:00",
                      "detail": [{"ip": "m1", "gpus": ["gpu0", "gpu1"]}, {"ip": "m2", "gpus": ["gpu5"]}]},
                     {"start_time": "2019-03-02 11:00:00", "end_time": "2019-03-02 11:00:30",
                      "detail": [{"ip": "m3", "gpus": ["gpu0"]}]}]},
                  {"status": "Killed", "vc": "vc2", "jobid": "application_8", "user": "bob",
                   "submitted_time": "2019-03-02 09:00:00", "attempts": []},
                  {"status": "Failed", "vc": "vc2", "jobid": "application_9", "user": "bob",
                   "submitted_time": "2019-03-02 09:30:00",
                   "attempts": [{"start_time": "None", "end_time": "2019-03-02 09:40:00", "detail": []}]},
                  {"status": "Pass", "vc": "vc2", "jobid": "application_10", "user": null,
                   "submitted_time": "2019-03-02 09:45:00",
                   "attempts": [{"start_time": "2019-03-02 09:50:00", "end_time": null,
                                 "detail": [{"ip": "m1", "gpus": ["gpu0"]}]}]},
                  {"status": "Pass", "vc": "vc2", "jobid": "application_11", "user": "cid",
                   "submitted_time": "2019-03-02 09:46:00",
                   "attempts": [{"start_time": "2019-03-02 09:50:00", "end_time": "2019-03-02 09:55:00", "detail": []}]},
                  {"status": "Pass", "vc": "vc2", "jobid": "application_12", "user": "cid",
                   "submitted_time": "2019-03-02 09:47:00",
                   "attempts": [{"start_time": "2019-03-02 09:50:00", "end_time": "2019-03-02 09:50:00",
                                 "detail": [{"ip": "m1", "gpus": ["gpu0"]}]}]},
                  {"status": "Pass", "vc": "vc2", "jobid": "application_13", "user": null,
                   "submitted_time": "2019-03-02 09:59:00",
                   "attempts": [{"start_time": "2019-03-02 10:00:00", "end_time": "2019-03-02 10:00:09",
                                 "detail": [{"ip": "m1", "gpus": ["gpu0"]}]}]}
                ]
                """);
        ALL.put("itp", """
                job_id,submission_time,duration,num_gpu
                1f-aa,700,650,8
                2e-bb,500,900,1
                3d-cc,700,600,4
                """);
        ALL.put("muri", """
                job_id,num_gpu,submit_time,iterations,model_name,batch_size,duration,interval,iteration_time,resource_time_0,resource_time_1,resource_time_2,priority
                0,4,0,1000,vgg16,16,250000,0,250,0.5,100,9,1
                1,1,1500,2000,dqn,64,61000,1500,30,10,5,1,0
                """);
        ALL.put("helios", """
                job_id,user,vc,jobname,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue
                501,uA,vcX,train_3,8,32,1,COMPLETED,2020-04-02 00:00:10,2020-04-02 00:00:20,2020-04-02 01:00:20,3600,10
                500,uB,vcY,prep,0,4,1,COMPLETED,2020-04-02 00:00:10,2020-04-02 00:00:20,2020-04-02 01:00:20,3600,10
                502,uA,vcX,train_4,1,4,1,CANCELLED,2020-04-02 00:00:30,None,2020-04-02 00:05:00,0,0
                503,uA,vcX,train_5,1,4,1,FAILED,2020-04-02 00:00:00,2020-04-02 00:00:10,2020-04-02 00:00:10,0,10
                504,uC,vcY,train_6,2,8,1,FAILED,2020-04-01 23:59:00,2020-04-02 00:00:10,2020-04-02 00:01:10,60,70
                """);
        ALL.put("acme", """
                job_id,user,node_num,gpu_num,cpu_num,mem_per_pod_GB,type,state,submit_time,start_time,end_time,duration,queue,gpu_time
                x1,u1,2,16,256,100,Pretrain,COMPLETED,2023-05-01 08:00:00+08:00,2023-05-01 08:01:00+08:00,2023-05-01 09:01:00+08:00,3600,60.0,57600.0
                x2,u2,1,1,16,,Debug,FAILED,2023-05-01 00:00:30+00:00,2023-05-01 00:00:31+00:00,2023-05-01 00:01:31+00:00,60,1.0,60.0
                x3,u2,1,0,16,,Other,COMPLETED,2023-05-01 00:00:30+00:00,2023-05-01 00:00:31+00:00,2023-05-01 00:01:31+00:00,60,1.0,0
                """);
        ALL.put("pai", """
                j1,ps,1.0,Terminated,100.0,400.0,600.0,10.0,,
                j2,tensorflow,1.0,Terminated,50.0,150.0,600.0,29.5,50.0,MISC
                j1,worker,2.0,Terminated,110.0,410.0,400.0,8.0,25.0,T4
                j3,worker,3.0,Terminated,10.0,70.0,400.0,8.0,200.0,V100
                j4,ps,1.0,Terminated,10.0,70.0,400.0,8.0,0.0,
                j5,worker,1.0,Running,10.0,,400.0,8.0,100.0,V100
                j6,worker,1.0,Waiting,,,400.0,8.0,100.0,
                j7,worker,1.0,Failed,10.0,10.0,400.0,8.0,100.0,P100
                """);
        ALL.put("openb", """
                name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time
                p0,12000,16384,1,1000,,LS,Running,5,1005,15
                p1,6001,12288,1,460,V100M16|V100M32,BE,Succeeded,5,65,5
                p2,6000,12288,0,0,,LS,Running,6,66,6
                p3,6000,12288,1,500,,BE,Pending,7,67,
                p4,6000,12288,8,1000,,Burstable,Failed,8,80,80
                p5,48000,98304,4,1000,T4,BE,Running,9,,10
                """);
        ALL.put("tiresias", """
                job_id,num_gpu,submit_time,iterations,model_name,duration,interval
                0,1,0,600,vgg16,164,30
                1,8,30,133,googlenet,147,23
                """);
        ALL.put("gavel", """
                ResNet-18 (batch size 64)\tpython3 a.py --x "%s/y"\timg\t--num_steps\t1\t1200\t2\t1\t-1.000000\t0
                LM (batch size 20)\tpython b.py\tlm\t--steps\t1\t900\t1\t1\t-1.000000\t12.5
                """);
        ALL.put("dally", """
                [
                    {"job_id": "900", "user": "uQ", "jobname": "NA", "cpu_num": "16", "model": "ResNet50",
                     "batchsize": "32", "gmem": "2694.5", "total_iterations": "4000000000",
                     "time_per_iteration": "0.0001", "max_parallelism": "4", "arrival_time": "12", "extra": {"a": [1]}},
                    {"job_id": "800", "user": "uR", "cpu_num": "NA", "model": "BERT",
                     "total_iterations": "100", "time_per_iteration": "2", "max_parallelism": "1", "arrival_time": "5"}
                ]
                """);
        ALL.put("swf", """
                ; Version: 2.2
                ;  MaxProcs: 16
                  1   0   5  100   4  -1 -1   8  200  2048  1   3   1  7  2 -1 -1 -1

                  2  10  -1   -1  -1  -1 -1   2  100   -1   5   3   1 -1  1 -1 -1 -1
                  3  20   0    0   1  -1 -1  -1   -1   -1   1  -1  -1 -1 -1 -1 -1 -1
                  4  20   0    0   1  -1 -1  -1   -1   -1   5  -1  -1 -1 -1 -1 -1 -1
                  5  30   0   50  -1  -1 -1  -1   -1   -1   1  -1  -1 -1 -1 -1 -1 -1
                  6  40   1 60.5  -1  -1 -1   2   -1   -1   0   4  -1 -1 -1 -1 -1 -1
                """);
    }

    private TraceSamples() {}

    public static Map<String, String> all() {
        return ALL;
    }

    public static String of(String format) {
        return ALL.getOrDefault(format, "");
    }

    public static Path write(Path folder, String name, String text) throws IOException {
        Path file = folder.resolve(name);
        Files.writeString(file, text);
        return file;
    }

    /** Reads a text as a file of unknown format. */
    public static Trace read(Path folder, String text) throws IOException {
        return new TraceReader(Optional.empty(), false).read(write(folder, "sample", text));
    }

    public static Trace lenient(Path folder, String text) throws IOException {
        return new TraceReader(Optional.empty(), true).read(write(folder, "sample", text));
    }
}
