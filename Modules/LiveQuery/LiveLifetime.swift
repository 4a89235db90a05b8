import CausewayRuntime

/// Keeps a window open as long as a reference to it exists.
package final class LiveLifetime: Sendable {
    private let engine: LiveQueryEngine
    let window: Int

    init(_ engine: LiveQueryEngine, _ window: Int) {
        self.engine = engine
        self.window = window
    }

    /// Runs the observers that do not live on the main actor.
    var runtime: any Runtime { engine.runtime }

    /// The error as callers see it.
    func mapped(_ error: any Error) -> any Error { engine.mapError(error) }

    deinit { close() }

    /// Closes the window now. May be called twice.
    package func close() { engine.submit(.close(window)) }

    package func turn(_ page: LivePageJob, _ result: PageResult? = nil) {
        engine.submit(.turn(window, page, result))
    }

    /// Displays all published frames now.
    @MainActor func takeTurn() { engine.stage.turn(for: MainActor.shared) }

    /// Requests a turn on the main actor although nothing changed.
    func requestTurn() { engine.stage.requestTurn(window: window) }

    func present(on presenter: any LivePresenter) { engine.stage.add(presenter, window: window) }
}
