import Causeway
import CausewayControlAPI
import CausewayControlClient
import CausewayModels
import CausewayTestSupport

/// A sender that sends message after message while the gate is open. Never offers a line twice.
struct TortureSender: Sendable {
    enum Way: Sendable {
        /// `causeway send`, a process for each call.
        case commandLine
        /// The control socket, one connection for a run of the daemon.
        case socket
    }

    let number: Int
    let way: Way
    let world: ProcessWorld
    let gate: Gate
    let expectations: TortureExpectations
    let channel: ChannelID

    /// Sends until the gate is closed for ever.
    func run(seed: UInt64) async throws {
        var generator = SplitMix64(seed: seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
        while await gate.pass() {
            let lines = expectations.offer(Int.random(in: 1...24, using: &generator), by: number)
            let texts = lines.map { $0.text(filledBy: Int.random(in: 0...300, using: &generator)) }
            switch way {
            case .commandLine: try await sendByCommand(lines, texts)
            case .socket: try await sendBySocket(lines, texts)
            }
            await Eventually.pass(.microseconds(Int.random(in: 0...20_000, using: &generator)))
        }
    }

    private func sendByCommand(_ lines: [TortureLine], _ texts: [String]) async throws {
        // A command that finds no daemon opens the store itself, and must not keep it from the next daemon for long.
        let said = try await world.causeway(
            "send", channel.value, "--lines", "--linger", "50ms", input: texts.joined(separator: "\n"))
        let ids = said.output.split(separator: "\n").compactMap { MessageID(String($0)) }
        expectations.taken(ids, of: lines, isWhole: said.status == 0)
    }

    private func sendBySocket(_ lines: [TortureLine], _ texts: [String]) async throws {
        let client = try ControlClient(socketPath: world.socket)
        do throws(ControlError) {
            let report = try await client.send(texts.map { OutgoingMessage(channel: channel, text: $0) })
            expectations.taken(report.ids, of: lines, isWhole: report.problem == nil)
        } catch {
            expectations.taken([], of: lines, isWhole: false)
        }
        await client.close()
    }
}
