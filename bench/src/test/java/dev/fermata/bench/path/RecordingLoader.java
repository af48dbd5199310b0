package dev.fermata.bench.path;

import com.tngtech.archunit.thirdparty.org.objectweb.asm.ClassReader;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.ClassVisitor;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.ClassWriter;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.MethodVisitor;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.Opcodes;
import java.io.IOException;
import java.io.InputStream;

/** Loads Fermata's types so that each of their methods notes its type in {@link RecordedTypes}. */
final class RecordingLoader extends ClassLoader {
    private static final int API = Opcodes.ASM9;
    private static final String FERMATA = "dev.fermata.";
    private static final String RECORDED = RecordedTypes.class.getName();

    RecordingLoader(ClassLoader parent) {
        super(parent);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(FERMATA) || name.equals(RECORDED)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> known = findLoadedClass(name);
            return known == null ? define(name) : known;
        }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
            int inner = name.indexOf('$');
            new ClassReader(in.readAllBytes())
                    .accept(recording(writer, inner < 0 ? name : name.substring(0, inner)), 0);
            byte[] code = writer.toByteArray();
            return defineClass(name, code, 0, code.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    /** @param type the outermost one */
    private static ClassVisitor recording(ClassWriter writer, String type) {
        return new ClassVisitor(API, writer) {
            @Override
            public MethodVisitor visitMethod(
                    int access, String method, String descriptor, String signature, String[] exceptions) {
                MethodVisitor to = super.visitMethod(access, method, descriptor, signature, exceptions);
                return new MethodVisitor(API, to) {
                    @Override
                    public void visitCode() {
                        super.visitCode();
                        visitLdcInsn(type);
                        visitMethodInsn(
                                Opcodes.INVOKESTATIC,
                                RECORDED.replace('.', '/'),
                                "enter",
                                "(Ljava/lang/String;)V",
                                false);
                    }
                };
            }
        };
    }
}
