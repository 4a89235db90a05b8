import Foundation
import Synchronization

/// A program that runs until a test stops it, or it ends: with its output so far and its input. It is killed with this
/// object, which must therefore be retained.
package final class RunningProgram: Sendable {
    private let child: ChildProcess
    private let printed: CollectedOutput?
    private let complained: CollectedOutput?
    /// The test's end of its standard input; nil once closed.
    private let input: Mutex<Int32?>

    init(
        _ path: String, _ arguments: [String], environment: [String: String], input: ProgramInput,
        output: ProgramOutput, errors: ProgramOutput
    ) throws {
        // A program that has ended takes no input, and must not end the tests.
        _ = Foundation.signal(SIGPIPE, SIG_IGN)
        let ends = [try StreamEnds(input), try StreamEnds(output), try StreamEnds(errors)]
        defer { for end in ends { end.closeTheirs() } }
        do {
            child = try ChildProcess(
                path, arguments, environment: environment,
                files: .descriptors(input: ends[0].theirs, output: ends[1].theirs, errors: ends[2].theirs))
        } catch {
            for end in ends { end.closeOurs() }
            throw error
        }
        printed = ends[1].ours.map { CollectedOutput($0) }
        complained = ends[2].ours.map { CollectedOutput($0) }
        guard case .data(let data) = input, let pipe = ends[0].ours else {
            self.input = Mutex(ends[0].ours)
            return
        }
        self.input = Mutex(nil)
        Thread.detachNewThread {
            Self.write(Array(data), to: pipe)
            close(pipe)
        }
    }

    deinit { closeInput() }

    package var pid: Int32 { child.pid }

    // MARK: - Its output

    /// Its collected standard output so far.
    package var output: String { printed?.text ?? "" }
    /// Its collected standard error so far.
    package var errors: String { complained?.text ?? "" }
    /// Both.
    package var text: String { output + errors }

    /// Waits until `text` is in its collected output.
    ///
    /// - Throws: if it ended without that.
    package func says(_ text: String) async throws {
        try await Eventually.holds("\(text) in: \(self.text)") {
            let isComplete = isOver
            if output.contains(text) || errors.contains(text) { return true }
            if isComplete { throw Eventually.TookTooLong(what: "\(text) was said before the end in: \(self.text)") }
            return false
        }
    }

    // MARK: - Its input

    /// Writes to its standard input.
    package func send(_ text: String) {
        input.withLock { input in
            if let input { Self.write(Array(text.utf8), to: input) }
        }
    }

    package func closeInput() {
        input.withLock { input in
            if let input { close(input) }
            input = nil
        }
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    // MARK: - Its end

    /// True when it has ended and all its output is there.
    package var isOver: Bool {
        child.status != nil && printed?.isComplete != false && complained?.isComplete != false
    }

    /// Waits for its end and all its output.
    ///
    /// - Returns: the exit status, or 128 and the signal that ended it.
    package func ended() async -> Int32 {
        let status = await child.ended()
        await printed?.completed()
        await complained?.completed()
        return status
    }

    /// Waits for its end, and returns all of it.
    package func finished() async -> Program.Outcome {
        let status = await ended()
        return Program.Outcome(status: status, output: output, errors: errors)
    }

    /// Ends it at once, like a crash.
    package func kill() { child.kill(SIGKILL) }

    /// Sends a signal and waits for the end.
    ///
    /// - Returns: the exit status, or 128 and the signal that ended it.
    @discardableResult
    package func stop(_ signal: Int32 = SIGTERM) async -> Int32 {
        child.kill(signal)
        return await ended()
    }
}
