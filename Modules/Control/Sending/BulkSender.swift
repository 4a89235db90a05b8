package import Causeway
import Foundation

/// Sends each line of an input as a message, in order, many in one request.
///
/// What arrives together goes together; what arrives alone goes at once. A line that cannot be a message is left out
/// and told, the others go.
package struct BulkSender {
    package struct Outcome: Sendable, Hashable {
        package var ids: [MessageID] = []
        /// Lines that could not be messages, with the reason.
        package var refused: [String] = []
        /// Blank lines.
        package var blankCount = 0
        /// What stopped it before the end of the input.
        package var problem: ControlError?

        package init() {}
    }

    private let service: any ControlService
    private let composer: MessageComposer
    private let progress: ([MessageID]) -> Void

    /// - Parameter progress: called after each request with what it took.
    package init(service: any ControlService, composer: MessageComposer, progress: @escaping ([MessageID]) -> Void) {
        self.service = service
        self.composer = composer
        self.progress = progress
    }

    package func send(_ input: LineInput) async -> Outcome {
        var outcome = Outcome()
        do throws(ControlError) {
            while let lines = try await input.next() {
                var batch: [NewMessage] = []
                var bytes = 0
                for line in lines {
                    guard let message = compose(line, &outcome) else { continue }
                    batch.append(message)
                    bytes += line.bytes.count
                    if batch.count == ControlLimits.messagesPerRequestMax || bytes >= ControlLimits.requestBytesWanted {
                        try await send(batch, &outcome)
                        batch = []
                        bytes = 0
                    }
                }
                try await send(batch, &outcome)
            }
        } catch {
            outcome.problem = error
        }
        return outcome
    }

    private func compose(_ line: LineInput.Line, _ outcome: inout Outcome) -> NewMessage? {
        if line.bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) {
            outcome.blankCount += 1
            return nil
        }
        do throws(ControlError) {
            return try composer.message(line.bytes)
        } catch {
            outcome.refused.append("line \(line.number): \(error.detail)")
            return nil
        }
    }

    private func send(_ batch: [NewMessage], _ outcome: inout Outcome) async throws(ControlError) {
        guard !batch.isEmpty else { return }
        let report = try await service.send(batch)
        outcome.ids += report.ids
        progress(report.ids)
        if let problem = report.problem { throw problem.error }
    }
}
