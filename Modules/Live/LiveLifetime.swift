/// Keeps a window open as long as a reference to it exists.
package final class LiveLifetime: Sendable {
    private let router: LiveRouter
    let window: Int

    init(_ router: LiveRouter, _ window: Int) {
        self.router = router
        self.window = window
    }

    deinit { close() }

    /// Closes the window now. May be called twice.
    package func close() { router.submit(.close(window)) }

    package func turn(_ page: LivePageJob) { router.submit(.turn(window, page)) }

    /// Requests a turn on the main actor although nothing changed.
    func requestTurn() { router.stage.requestTurn(window: window) }

    func present(on presenter: any LivePresenter) { router.stage.add(presenter, window: window) }
}
