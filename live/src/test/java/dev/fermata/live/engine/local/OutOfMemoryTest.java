package dev.fermata.live.engine.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Outcome;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.engine.Shortage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who ran out of memory, by its last words alone: the words of frameworks, and those of jobs that only look like it. */
class OutOfMemoryTest extends OnStage {
    private static final String TRACE =
            "Traceback (most recent call last):\n  File \"train.py\", line 7, in <module>\n";
    private static final String CUDA = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total",
                "torch.cuda.OutOfMemoryError: CUDA out of memory.",
                "RuntimeError: CUDA error: out of memory",
                "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
                "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 123",
                "tensorflow.python.framework.errors_impl.ResourceExhaustedError: OOM when allocating tensor with shape[9]",
                "failed to allocate 2.0G from device: CUDA_ERROR_OUT_OF_MEMORY: out of memory"
            })
    void frameworksSayItInManyWays(String words) {
        assertThat(OutOfMemory.said(TRACE + words + "\n")).isEqualTo(Shortage.GPU_MEMORY);
        assertThat(OutOfMemory.said("step 1\nstep 2\n" + words + "\n")).isEqualTo(Shortage.GPU_MEMORY);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "MemoryError",
                "MemoryError: Unable to allocate 7.45 GiB",
                "numpy._core._exceptions._ArrayMemoryError: Unable to allocate 7.45 GiB for an array with shape (9,)",
                "RuntimeError: [enforce fail at alloc_cpu.cpp:117] . DefaultCPUAllocator: can't allocate memory: you tried",
                "OSError: [Errno 12] Cannot allocate memory",
                "terminate called after throwing an instance of 'std::bad_alloc'"
            })
    void soDoThoseWhoRanOutOfTheMachinesMemory(String words) {
        assertThat(OutOfMemory.said(TRACE + words + "\n")).isEqualTo(Shortage.MEMORY);
    }

    @Test
    void onlyTheLastTracebackCounts() {
        String recovered = TRACE + CUDA + "\nhalving the batch\n";
        assertThat(OutOfMemory.said(recovered + TRACE + "ValueError: loss is NaN\n"))
                .isEqualTo(Shortage.NONE);
        assertThat(OutOfMemory.said(recovered + "a\nb\nc\nd\ne\nf\n"))
                .as("a traceback that was printed is still the last one")
                .isEqualTo(Shortage.GPU_MEMORY);
        assertThat(OutOfMemory.said(
                        TRACE + "    raise ValueError(\"no CUDA out of memory here\")\nValueError: something else\n"))
                .as("lines of source are not what was raised")
                .isEqualTo(Shortage.NONE);
        assertThat(OutOfMemory.said(CUDA + "\n1\n2\n3\n4\n5\n6\nbad input\n")).isEqualTo(Shortage.NONE);
        assertThat(OutOfMemory.said("grpc: RESOURCE_EXHAUSTED: quota exceeded\n"))
                .isEqualTo(Shortage.NONE);
        assertThat(OutOfMemory.said("MyMemoryErrorHandler installed\n")).isEqualTo(Shortage.NONE);
        assertThat(OutOfMemory.said("")).isEqualTo(Shortage.NONE);
    }

    @Test
    void aLauncherFailsBecauseOneOfItsRanksDid() {
        String launcher = TRACE + "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n"
                + "====\ntrain.py FAILED\n====\n";
        assertThat(OutOfMemory.said(TRACE + CUDA + "\n" + launcher)).isEqualTo(Shortage.GPU_MEMORY);
        assertThat(OutOfMemory.said(TRACE + "ValueError: no\n" + launcher)).isEqualTo(Shortage.NONE);
    }

    @Test
    void aJobThatSaysSoAndFailsIsOutOfMemory() {
        Launch launch = stage.start(1, new SpecDraft("echo '" + CUDA + "' >&2; exit 1"));
        Stage.End end = stage.end(launch);
        assertThat(end.outcome()).isEqualTo(Outcome.OOM);
        assertThat(end.exit().shortage()).isEqualTo(Shortage.GPU_MEMORY);
        assertThat(end.exit().detail()).contains("its GPU was out of memory", "Tried to allocate");
    }

    @Test
    void aJobThatOnlyMentionsItIsNot() {
        Launch well = stage.start(1, new SpecDraft("echo '" + CUDA + "' >&2; exit 0"));
        assertThat(stage.end(well).outcome()).isEqualTo(Outcome.COMPLETED);
        Launch aside = stage.start(2, new SpecDraft("echo '" + CUDA + "'; echo 'cannot read the data' >&2; exit 1"));
        assertThat(stage.end(aside).outcome()).isEqualTo(Outcome.FAILED);
    }

    @Test
    void whatItPrintsWhenNothingGoesToStandardErrorCountsToo() {
        Launch launch = stage.start(1, new SpecDraft("exec 2>&1; echo '" + CUDA + "'; exit 1"));
        assertThat(stage.end(launch).outcome()).isEqualTo(Outcome.OOM);
    }

    @Test
    void oneRankIsEnough() {
        Launch launch = stage.start(
                1, new SpecDraft("[ $RANK = 1 ] && { echo '" + CUDA + "' >&2; exit 1; }; sleep 30").ranks(2));
        assertThat(stage.end(launch).outcome()).isEqualTo(Outcome.OOM);
    }
}
