import CausewayModels
import CausewayTransport

extension TransportConformance {
    /// Starts a delivery to a server that does not respond.
    private static func stalledDelivery(_ trial: Trial, over transport: any Transport) async throws -> BoundedCall {
        try await trial.server.use(.stall)
        let delivery = trial.delivery(trial.chain(trial.messages(1).map { trial.send($0) }))
        return BoundedCall(trial) { () throws(TransportError) in _ = try await transport.deliver(delivery) }
    }

    private static func requireNoResponse(_ error: TransportError) throws(ConformanceFailure) {
        switch error {
        case .inDoubt, .unreachable: break
        default: throw ConformanceFailure("the error is \(error)")
        }
    }

    static let endingRules: [Rule] = [
        Rule("a call without a response ends by itself", faults: [.stall]) { trial in
            try await trial.with(.impatient) { transport in
                let call = try await stalledDelivery(trial, over: transport)
                try requireNoResponse(try await call.error())
                try await trial.server.use(.none)
            }
        },
        Rule("a cancelled call ends", faults: [.stall]) { trial in
            try await trial.with { transport in
                _ = try await transport.authenticate()
                let call = try await stalledDelivery(trial, over: transport)
                call.cancel()
                try requireNoResponse(try await call.error())
                try await trial.server.use(.none)
            }
        },
        Rule("closing ends the calls under way", faults: [.stall]) { trial in
            try await trial.with { transport in
                _ = try await transport.authenticate()
                let call = try await stalledDelivery(trial, over: transport)
                await transport.close()
                try requireNoResponse(try await call.error())
                try await trial.server.use(.none)
            }
        },
        Rule("a closed transport is unreachable") { trial in
            try await trial.with { transport in
                _ = try await transport.authenticate()
                await transport.close()
                await transport.close()
                let delivery = try await trial.error(ofDelivering: trial.messages(1)[0], over: transport)
                guard case .unreachable = delivery else {
                    throw ConformanceFailure("the error of a delivery is \(delivery)")
                }
                let probe = try await trial.error(
                    of: { transport throws(TransportError) in _ = try await transport.authenticate() },
                    over: transport, "authentication")
                guard case .unreachable = probe else { throw ConformanceFailure("the error of a probe is \(probe)") }
            }
            try requireEqual(try await trial.server.stored(), [], "the channel")
        },
    ]
}
