package import CausewayControlAPI
package import CausewayModels
import Foundation

/// Sends each line of an input as a message, in order, many in one request.
///
/// Lines that arrive together share a request; a line that arrives alone is sent at once. A line that is not a valid
/// message is skipped and reported, and the others are sent.
package struct BulkSender {
    package struct Outcome: Sendable, Hashable {
        package var ids: [MessageID] = []
        /// The reasons of the lines that were not valid messages.
        package var refused: [String] = []
        /// The number of blank lines.
        package var blankCount = 0
        /// The error that ended the call before the end of the input.
        package var problem: ControlError?

        package init() {}
    }

    private let service: any ControlService
    private let composer: MessageComposer
    private let progress: ([MessageID]) -> Void

    /// - Parameter progress: called after each request with the accepted messages.
    package init(service: any ControlService, composer: MessageComposer, progress: @escaping ([MessageID]) -> Void) {
        self.service = service
        self.composer = composer
        self.progress = progress
    }

    package func send(_ input: LineInput) async -> Outcome {
        var outcome = Outcome()
        do throws(ControlError) {
            while let lines = try await input.next() {
                var batch: [OutgoingMessage] = []
                var bytes = 0
                for line in lines {
                    guard let message = compose(line, &outcome) else { continue }
                    batch.append(message)
                    bytes += line.bytes.count
                    if batch.count == ControlLimits.messagesPerRequestMax
                        || bytes >= CommandLineLimits.requestBytesWanted
                    {
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

    private func compose(_ line: LineInput.Line, _ outcome: inout Outcome) -> OutgoingMessage? {
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

    private func send(_ batch: [OutgoingMessage], _ outcome: inout Outcome) async throws(ControlError) {
        guard !batch.isEmpty else { return }
        let report = try await service.send(batch)
        outcome.ids += report.ids
        progress(report.ids)
        if let problem = report.problem { throw problem.error }
    }
}
