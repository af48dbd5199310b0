package dev.fermata.live.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.live.engine.ExhaustedResource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Out-of-memory failures by their last output: messages of frameworks, and of jobs that only look like them. */
class OutOfMemoryDetectorTest {
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
    void gpuMemoryMessagesOfFrameworksAreDetected(String words) {
        assertThat(OutOfMemoryDetector.detect(TRACE + words + "\n")).isEqualTo(ExhaustedResource.GPU_MEMORY);
        assertThat(OutOfMemoryDetector.detect("step 1\nstep 2\n" + words + "\n"))
                .isEqualTo(ExhaustedResource.GPU_MEMORY);
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
    void hostMemoryMessagesAreDetected(String words) {
        assertThat(OutOfMemoryDetector.detect(TRACE + words + "\n")).isEqualTo(ExhaustedResource.HOST_MEMORY);
    }

    @Test
    void onlyTheLastTracebackCounts() {
        String recovered = TRACE + CUDA + "\nhalving the batch\n";
        assertThat(OutOfMemoryDetector.detect(recovered + TRACE + "ValueError: loss is NaN\n"))
                .isEqualTo(ExhaustedResource.NONE);
        assertThat(OutOfMemoryDetector.detect(recovered + "a\nb\nc\nd\ne\nf\n"))
                .as("a traceback that was printed is still the last one")
                .isEqualTo(ExhaustedResource.GPU_MEMORY);
        assertThat(OutOfMemoryDetector.detect(
                        TRACE + "    raise ValueError(\"no CUDA out of memory here\")\nValueError: something else\n"))
                .as("lines of source are not what was raised")
                .isEqualTo(ExhaustedResource.NONE);
        assertThat(OutOfMemoryDetector.detect(CUDA + "\n1\n2\n3\n4\n5\n6\nbad input\n"))
                .isEqualTo(ExhaustedResource.NONE);
        assertThat(OutOfMemoryDetector.detect("grpc: RESOURCE_EXHAUSTED: quota exceeded\n"))
                .isEqualTo(ExhaustedResource.NONE);
        assertThat(OutOfMemoryDetector.detect("MyMemoryErrorHandler installed\n"))
                .isEqualTo(ExhaustedResource.NONE);
        assertThat(OutOfMemoryDetector.detect("")).isEqualTo(ExhaustedResource.NONE);
    }

    @Test
    void launcherFailureIsAttributedToItsRank() {
        String launcher = TRACE + "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n"
                + "====\ntrain.py FAILED\n====\n";
        assertThat(OutOfMemoryDetector.detect(TRACE + CUDA + "\n" + launcher)).isEqualTo(ExhaustedResource.GPU_MEMORY);
        assertThat(OutOfMemoryDetector.detect(TRACE + "ValueError: no\n" + launcher))
                .isEqualTo(ExhaustedResource.NONE);
    }
}
