import Causeway
import CausewayModels
import CausewaySimulatedRuntime

/// Work conservation: at rest, with everything in order, a new message leaves the queue at once. A wake-up or a timer
/// that gets lost shows here, because nothing else happens that could make up for it.
extension World {
    /// The time within which nothing of a new message is left to do: a few requests, and a user who deletes a message
    /// that pauses its lane.
    private static let promptBound: Duration = .seconds(15)

    private enum Disturbance: CaseIterable {
        case none, pause, renewal
    }

    /// Checks each device: right away, after a pause, and while the token is renewed.
    func checkPromptness() async {
        await passRefusals()
        for device in devices.indices {
            for disturbance in Disturbance.allCases where violation == nil {
                guard let (process, client) = running(device), devices[device].session?.isActive == true,
                    !isBehind(process), processes[process].mirror.isIdle
                else { break }
                await createAmid(disturbance, client, process)
                await checkDelivered(process, device, after: "\(disturbance)")
            }
        }
        await rest()
    }

    private func createAmid(_ disturbance: Disturbance, _ client: CausewayClient, _ process: Int) async {
        switch disturbance {
        case .none:
            await createPlain(client, process)
            await pass(between(.zero, .milliseconds(300)))
            await createPlain(client, process)
        case .pause:
            await pause(client, process)
            await createPlain(client, process)
            await pass(.seconds(1))
            await resume(client, process)
        case .renewal:
            runtime.spawn { [self] in await createPlain(client, process) }
            let user = devices[processes[process].device].session?.user
            let accounts = plan.devices[processes[process].device].accounts
            if let account = accounts.first(where: { self.account(of: "\($0)") == user }) {
                await logIn(client, process, as: account)
            }
        }
    }

    private func createPlain(_ client: CausewayClient, _ process: Int) async {
        guard let channel = channels.first else { return }
        messagesWritten += 1
        do throws(ClientError) {
            let handle = try await client.messages.createTextMessage("message \(messagesWritten)", in: channel)
            guard isRunning(process) else { return }
            witnessAccepted(handle.message, process)
            wait(for: handle, process, patience: nil)
        } catch {
            witnessError(error, process)
        }
    }

    private func checkDelivered(_ process: Int, _ device: Int, after disturbance: String) async {
        // A renewed token may bring the news of a restored hub, where each deletion is repeated, one in a request.
        let bound = Self.promptBound + .seconds(messagesWritten)
        // The machine's look at its server may wait for a timer that was delayed before the recovery.
        let end = max(runtime.now + bound, healedAt + latestTimer + Self.promptBound)
        await runtime.wait(until: end) { [self] in
            violation != nil || !isRunning(process) || isDelivered(process)
        }
        // A lethal message ends the process instead.
        guard violation == nil, isRunning(process), !isDelivered(process) else { return }
        violated(
            .promptness, "after \(disturbance) at rest, a new message waits, and nothing hinders it: \(toldUnrest())")
    }

    private func isDelivered(_ process: Int) -> Bool {
        processes[process].mirror.isIdle && processes[process].waiting.isEmpty
    }
}
