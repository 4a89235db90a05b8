import CausewayModels
import CausewayRuntime
import CausewayTransport
import Synchronization

/// The ephemeral events of a scripted server: it keeps the signals that arrive, or behaves as scripted.
struct ScriptedSignals: EphemeralEvents {
    let transport: ScriptedTransport
    let runtime: any Runtime

    func setTyping(_ signal: TypingSignal) async throws(TransportError) {
        let behaviour = transport.server.withLock { server in
            server.signals?.append(signal)
            return server.signalBehaviour
        }
        switch behaviour {
        case .fail(let error): throw error
        case .hang(let time):
            await runtime.sleep(until: runtime.now + time)
            throw .inDoubt(detail: "cut off")
        case .work, .loseAnswer, .loseLate, .delay, .respondLate: break
        }
    }
}
