import Foundation
import Glibc
import Synchronization

/// An independent program for verification, whose output can be awaited. It ends with this object, which must therefore
/// be retained.
final class Program: Sendable {
    struct Output: Sendable {
        var text = ""
        /// Its exit code, or 128 plus the signal that ended it; nil while it runs.
        var status: Int32?
        var isOver: Bool { status != nil }
    }

    let output = Watched(Output())
    private let child: Child

    /// The state shared with the reading thread, which must not retain the program itself.
    private final class Child: Sendable {
        let state: Mutex<State>

        init(_ state: State) {
            self.state = Mutex(state)
        }
    }

    private struct State: Sendable {
        var process: pid_t
        /// The writing end of the program's standard input; nil once closed.
        var input: Int32?
        var isReaped = false
    }

    struct CannotStart: Error {
        var path: String
        var code: Int32
    }

    init(_ path: String, _ arguments: [String]) throws {
        signal(SIGPIPE, SIG_IGN)
        let (input, printed) = Self.starting.withLock { _ in (Self.pipe(), Self.pipe()) }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        // The copies lose close-on-exec; nothing else is inherited, so an end of file is reliable.
        unsafe posix_spawn_file_actions_adddup2(&actions, input.reading, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, printed.writing, 1)
        unsafe posix_spawn_file_actions_adddup2(&actions, printed.writing, 2)
        var argv = unsafe ([path] + arguments).map { unsafe strdup($0) }
        unsafe argv.append(nil)
        defer { for index in unsafe argv.indices { unsafe free(argv[index]) } }
        var process: pid_t = 0
        let code = Self.starting.withLock { _ in
            unsafe posix_spawn(&process, path, &actions, nil, argv, environ)
        }
        close(input.reading)
        close(printed.writing)
        guard code == 0 else {
            close(input.writing)
            close(printed.reading)
            throw CannotStart(path: path, code: code)
        }
        child = Child(State(process: process, input: input.writing))
        let (child, output, file, id) = (child, output, printed.reading, process)
        Thread.detachNewThread { Self.follow(child, id: id, file: file, output) }
    }

    deinit {
        kill()
        closeInput()
    }

    /// Held so that no program starts between the creation of a pipe and its close-on-exec mark.
    private static let starting = Mutex(())

    private static func pipe() -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        precondition(unsafe Glibc.pipe(&ends) == 0, "no pipe to be had")
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    private static func follow(_ child: Child, id: pid_t, file: Int32, _ output: Watched<Output>) {
        var chunk = [UInt8](repeating: 0, count: 16384)
        while true {
            let count = unsafe read(file, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            let text = String(decoding: chunk[..<count], as: UTF8.self)
            output.update { $0.text += text }
        }
        close(file)
        var information = unsafe siginfo_t()
        while unsafe waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        var status: Int32 = 0
        child.state.withLock { state in
            unsafe waitpid(id, &status, 0)
            state.isReaped = true
        }
        output.update { output in
            output.status = (status & 0x7f) == 0 ? (status >> 8) & 0xff : 128 + (status & 0x7f)
        }
    }

    func send(_ text: String) {
        child.state.withLock { state in
            guard let input = state.input else { return }
            _ = unsafe write(input, text, text.utf8.count)
        }
    }

    func closeInput() {
        child.state.withLock { state in
            if let input = state.input { close(input) }
            state.input = nil
        }
    }

    /// Ends it at once, like a crash: nothing is sent to a peer.
    func kill() {
        child.state.withLock { state in
            if !state.isReaped { Glibc.kill(state.process, SIGKILL) }
        }
    }

    /// Waits for that text; false if the program ended without it.
    func prints(_ text: String) async -> Bool {
        await output.wait { $0.text.contains(text) || $0.isOver }.text.contains(text)
    }

    /// Waits for its end.
    func finished() async -> Output {
        await output.wait { $0.isOver }
    }

    static func run(_ path: String, _ arguments: [String], input: String = "") async throws -> Output {
        let program = try Program(path, arguments)
        program.send(input)
        program.closeInput()
        return await program.finished()
    }
}

/// The `openssl` program.
enum OpenSSLProgram {
    static let path = "/usr/bin/openssl"

    /// A server that prints the data that it receives and sends its input.
    static func server(_ arguments: [String]) async throws -> (program: Program, port: Int) {
        let program = try Program(path, ["s_server", "-accept", "127.0.0.1:0"] + arguments)
        let output = await program.output.wait { output in
            output.isOver || Self.port(in: output.text) != nil
        }
        guard let port = Self.port(in: output.text) else { throw Failure(text: output.text) }
        return (program, port)
    }

    /// A client that accepts everything and prints the data that it receives.
    static func client(port: Int, _ arguments: [String]) throws -> Program {
        try Program(path, ["s_client", "-connect", "127.0.0.1:\(port)"] + arguments)
    }

    struct Failure: Error {
        var text: String
    }

    private static func port(in text: String) -> Int? {
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("ACCEPT ") }) else { return nil }
        return line.split(separator: ":").last.flatMap { Int($0.trimmingCharacters(in: .whitespaces)) }
    }
}
