package import CausewayRuntime

/// How a turn of the main actor comes about.
package protocol LiveDelivery: Sendable {
    /// Runs `turn` on the main actor, soon, once, and never before this returns.
    func schedule(_ turn: @escaping @MainActor @Sendable () -> Void)
}

/// The main actor itself.
package struct MainActorDelivery: LiveDelivery {
    private let runtime: any Runtime

    package init(_ runtime: any Runtime) { self.runtime = runtime }

    package func schedule(_ turn: @escaping @MainActor @Sendable () -> Void) { runtime.spawn { await turn() } }
}
