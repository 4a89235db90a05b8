import Foundation
import Synchronization

/// A child process: its start, signals to it, and its end. It is killed with this object, which must therefore be
/// retained.
package final class ChildProcess: Sendable {
    package enum Files: Sendable {
        /// The descriptors of this process that become its standard input, output and error.
        case descriptors(input: Int32, output: Int32, errors: Int32)
        /// The path of a terminal that becomes all three, and the controlling terminal of a session of its own.
        case terminal(String)
    }

    package struct CannotStart: Error {
        package let path: String
        package let code: Int32
    }

    /// Shared with the thread that waits for the end, which must not retain the process itself.
    private final class End: Sendable {
        let status = Latch<Int32>()
        let isReaped = Mutex(false)
    }

    package let pid: Int32
    private let end = End()

    /// Starts it with this environment alone. It inherits no descriptor but the given ones, so that an end of file is
    /// reliable; all signals have their default effect.
    package init(_ path: String, _ arguments: [String], environment: [String: String], files: Files) throws {
        pid = try Self.starting.withLock { _ in try Self.spawn(path, arguments, environment, files) }
        let (end, pid) = (end, pid)
        Thread.detachNewThread { Self.follow(pid, end) }
    }

    deinit { kill(SIGKILL) }

    /// The exit status, or 128 and the signal that ended it; `nil` while it runs.
    package var status: Int32? { end.status.value }

    /// Returns the exit status, or 128 and the signal that ended it.
    package func ended() async -> Int32 { await end.status.wait() }

    /// Sends a signal, unless it has ended: its number may have another owner then.
    package func kill(_ signal: Int32) {
        end.isReaped.withLock { isReaped in
            if !isReaped { _ = Foundation.kill(pid, signal) }
        }
    }

    /// Held so that two starts never overlap.
    private static let starting = Mutex(())

    private static func spawn(
        _ path: String, _ arguments: [String], _ environment: [String: String], _ files: Files
    ) throws -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        var flags = Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK)
        switch files {
        case .descriptors(let input, let output, let errors):
            for (target, source) in [input, output, errors].enumerated() {
                unsafe posix_spawn_file_actions_adddup2(&actions, source, Int32(target))
            }
        case .terminal(let path):
            // `POSIX_SPAWN_SETSID`, which Swift does not import.
            flags |= 0x80
            unsafe posix_spawn_file_actions_addopen(&actions, 0, path, O_RDWR, 0)
            unsafe posix_spawn_file_actions_adddup2(&actions, 0, 1)
            unsafe posix_spawn_file_actions_adddup2(&actions, 0, 2)
        }
        for descriptor in 3...highestDescriptor() { unsafe posix_spawn_file_actions_addclose(&actions, descriptor) }
        var (all, none) = (sigset_t(), sigset_t())
        unsafe sigfillset(&all)
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setflags(&attributes, flags)
        var argv = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
        var envp = unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
        defer {
            for index in unsafe argv.indices { unsafe free(argv[index]) }
            for index in unsafe envp.indices { unsafe free(envp[index]) }
        }
        var pid: pid_t = 0
        let code = unsafe posix_spawn(&pid, path, &actions, &attributes, &argv, &envp)
        guard code == 0 else { throw CannotStart(path: path, code: code) }
        return pid
    }

    /// Above every descriptor of this process, with room for those that other threads open meanwhile.
    private static func highestDescriptor() -> Int32 {
        let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return (open.compactMap { Int32($0) }.max() ?? 1024) + 64
    }

    private static func follow(_ pid: pid_t, _ end: End) {
        var information = unsafe siginfo_t()
        while unsafe waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        var status: Int32 = 0
        end.isReaped.withLock { isReaped in
            unsafe waitpid(pid, &status, 0)
            isReaped = true
        }
        end.status.set((status & 0x7F) == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F))
    }
}
