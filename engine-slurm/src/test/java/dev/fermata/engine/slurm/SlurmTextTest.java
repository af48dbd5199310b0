package dev.fermata.engine.slurm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Lines as Slurm 22.05 prints them. */
class SlurmTextTest {
    private static final String RUNNING =
            "JobId=3 JobName=wrap UserId=ann(1000) GroupId=ann(1000) MCS_label=N/A Priority=4294901757 Nice=0 Account=(null)"
                    + " QOS=(null) JobState=RUNNING Reason=None Dependency=(null) Requeue=0 Restarts=0 BatchFlag=1 Reboot=0"
                    + " ExitCode=0:0 DerivedExitCode=0:0 RunTime=00:00:01 TimeLimit=UNLIMITED StartTime=1795121552"
                    + " EndTime=Unknown Partition=p NodeList=g[1,3] BatchHost=g1 NumNodes=2 TRES=cpu=4,mem=2000000M,node=2"
                    + " JOB_GRES=gpu:h100:4   Nodes=g1 CPU_IDs=56-58 Mem=1000000 GRES=gpu:h100:3(IDX:0-1,5)  "
                    + " Nodes=g3 CPU_IDs=56 Mem=1000000 GRES=gpu:h100:1(IDX:0) MinCPUsNode=1 Command=(null)"
                    + " WorkDir=/tmp/with space Comment=fermata:abc:12.3  StdErr=/tmp/3 Power= TresPerTask=gres:gpu:1 ";

    private static SlurmJob job(String line) {
        return Objects.requireNonNull(SlurmJob.parse(line));
    }

    private static SlurmNode node(String line) {
        return Objects.requireNonNull(SlurmNode.parse(line));
    }

    @Test
    void aRunningJobHasItsGpusByNode() {
        SlurmJob job = job(RUNNING);
        assertThat(job.id()).isEqualTo(3);
        assertThat(job.user()).isEqualTo("ann");
        assertThat(job.phase()).isEqualTo(SlurmJob.Phase.RUNNING);
        assertThat(job.comment()).isEqualTo("fermata:abc:12.3");
        assertThat(job.startMillis()).isEqualTo(1_795_121_552_000L);
        assertThat(job.shares())
                .isEqualTo(Map.of(
                        "g1",
                        new SlurmJob.Share(List.of(0, 1, 5), 3, 1_000_000),
                        "g3",
                        new SlurmJob.Share(List.of(0), 1, 1_000_000)));
    }

    @Test
    void nodesWithTheSameGpusAreOneEntry() {
        assertThat(job(RUNNING.replace("Nodes=g3 CPU_IDs=56", "Nodes=h[08-09] CPU_IDs=56"))
                        .shares())
                .containsOnlyKeys("g1", "h08", "h09");
    }

    @Test
    void aUserCannotOverrideTheStateOfAJobByItsComment() {
        SlurmJob job = job(RUNNING.replace("Comment=fermata:abc:12.3", "Comment=x JobState=FAILED UserId=root(0)"));
        assertThat(job.phase()).isEqualTo(SlurmJob.Phase.RUNNING);
        assertThat(job.user()).isEqualTo("ann");
    }

    @Test
    void signalsAreExitCodesOfAShell() {
        assertThat(job(RUNNING.replace(" ExitCode=0:0", " ExitCode=0:9")).exit())
                .isEqualTo(137);
        assertThat(job(RUNNING.replace(" ExitCode=0:0", " ExitCode=3:0")).exit())
                .isEqualTo(3);
    }

    @Test
    void everyStateHasAPhase() {
        assertThat(List.of(
                        "PENDING", "CONFIGURING", "COMPLETING", "COMPLETED", "NODE_FAIL", "OUT_OF_MEMORY", "SUSPENDED"))
                .extracting(state -> job(RUNNING.replace("JobState=RUNNING", "JobState=" + state))
                        .phase())
                .containsExactly(
                        SlurmJob.Phase.WAITING,
                        SlurmJob.Phase.WAITING,
                        SlurmJob.Phase.ENDING,
                        SlurmJob.Phase.ENDED,
                        SlurmJob.Phase.ENDED,
                        SlurmJob.Phase.ENDED,
                        SlurmJob.Phase.RUNNING);
    }

    @Test
    void aRequestNamesGpusInManyWays() {
        assertThat(job(RUNNING).request().gpus()).isEqualTo(4);
        assertThat(request("NumNodes=2-2 TresPerNode=gres:gpu:a100:3").gpus()).isEqualTo(6);
        assertThat(request("NumNodes=2-2 TresPerNode=gres:gpu:a100:3").gpuType())
                .isEqualTo("a100");
        assertThat(request("NumTasks=3 TresPerTask=gres/gpu:2").gpus()).isEqualTo(6);
        assertThat(request("TresPerJob=gres/gpu=5").gpus()).isEqualTo(5);
        assertThat(request("TRES=cpu=4,mem=2G,gres/gpu=3,gres/gpu:h100=2,gres/gpu:a100=1")
                        .gpus())
                .isEqualTo(3);
        assertThat(request("TRES=cpu=4,mem=2G,node=1").gpus()).isZero();
    }

    @Test
    void aRequestHasItsLimitAndOnlyTheMemoryThatItAsksFor() {
        assertThat(request("TimeLimit=1-02:00:30").limitMillis()).isEqualTo(93_630_000);
        assertThat(request("TimeLimit=UNLIMITED").limitMillis()).isZero();
        assertThat(request("TRES=cpu=4,mem=1.5G MinMemoryNode=1536M").memoryMib())
                .isEqualTo(1536);
        assertThat(request("TRES=cpu=4,mem=500G MinMemoryNode=0").memoryMib()).isZero();
        assertThat(request("EligibleTime=Unknown").eligibleMillis()).isEqualTo(-1);
    }

    @Test
    void aPendingArrayIsManyTasks() {
        assertThat(request("ArrayJobId=7 ArrayTaskId=1-3,9%2").tasks()).containsExactly("7_1", "7_2", "7_3", "7_9");
        assertThat(request("JobName=x").tasks()).containsExactly("1");
    }

    private static SlurmRequest request(String fields) {
        return job("JobId=1 JobState=PENDING UserId=ann(1) " + fields).request();
    }

    @Test
    void recordsOfSacctAreJobs() {
        SlurmJob job = Objects.requireNonNull(SlurmJob.parseRecord("17|CANCELLED by 1000|0:15|1795121552|ann"));
        assertThat(job.state()).isEqualTo("CANCELLED");
        assertThat(job.exit()).isEqualTo(143);
        assertThat(SlurmJob.parseRecord("17.batch|COMPLETED|0:0|1795121552|")).isNull();
        assertThat(SlurmJob.parse("No jobs in the system")).isNull();
    }

    @Test
    void aNodeHasGpusMemoryAndState() {
        SlurmNode node = node("NodeName=g1 Arch=x86_64 CPUAlloc=0 CPUEfctv=62 CPUTot=64 AvailableFeatures=(null)"
                + " Gres=gpu:nvidia_a100-sxm4-80gb:4(S:0-1),gpu:h100:2,shard:8 NodeAddr=10.0.0.1 NodeHostName=vm"
                + " RealMemory=1000000 State=IDLE+DRAIN ThreadsPerCore=1 CfgTRES=cpu=64,mem=1000000M"
                + " Reason=bad disk = x [root@1795121552]");
        assertThat(node.gpus()).containsExactly(Map.entry("nvidia_a100-sxm4-80gb", 4), Map.entry("h100", 2));
        assertThat(node.cpus()).isEqualTo(62);
        assertThat(node.isDrained()).isTrue();
        assertThat(node.isDown()).isFalse();
        assertThat(node.reason()).startsWith("bad disk = x");
        SlurmCluster cluster = SlurmCluster.of(List.of(node), Map.of("r1", List.of("g1", "login")));
        assertThat(cluster.topology().nodes())
                .extracting("name")
                .containsExactly("g1:nvidia_a100-sxm4-80gb", "g1:h100");
        assertThat(cluster.topology().types()).extracting("name").containsExactly("A100", "H100");
        assertThat(cluster.topology().gpuId(5)).isEqualTo("g1/5");
        assertThat(cluster.topology().racks()).extracting("name").containsExactly("r1");
    }

    @Test
    void gpusWithoutATypeAreGeneric() {
        SlurmNode node = node("NodeName=n CPUTot=8 Gres=gpu:8 State=DOWN*+NOT_RESPONDING ");
        assertThat(node.gpus()).isEqualTo(Map.of("", 8));
        assertThat(node.isDown()).isTrue();
        assertThat(SlurmCluster.of(List.of(node), Map.of())
                        .topology()
                        .types()
                        .get(0)
                        .name())
                .isEqualTo("GPU");
    }

    @Test
    void hostListsAreExpanded() {
        assertThat(HostList.expand("gpu[001-003,020],login1,r[1-2]n[08-09]"))
                .containsExactly("gpu001", "gpu002", "gpu003", "gpu020", "login1", "r1n08", "r1n09", "r2n08", "r2n09");
        assertThat(HostList.expand("(null)")).isEmpty();
    }

    @Test
    void failuresThatMayPassAreToldApart() {
        assertThat(SlurmException.of(
                                "sbatch",
                                "sbatch: error: Batch job submission failed: Invalid partition name specified")
                        .mayPass())
                .isFalse();
        assertThat(SlurmException.of(
                                "scontrol",
                                "slurm_load_jobs error: Unable to contact slurm controller (connect failure)")
                        .mayPass())
                .isTrue();
    }
}
