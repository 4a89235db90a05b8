import CausewayHTTPTransport
import CausewayHubRules
import CausewayModels
import CausewaySync

/// A device of the account: the real ``EventFollower`` and ``CarrierChoice``, what it has stored, and the calls that it
/// makes.
struct FollowerDevice {
    /// The part that survives a crash.
    struct Store {
        var cursor: LogCursor?
        var items: [RecordKey: Int64] = [:]
        /// Channels of which pages must be read.
        var due: Set<ChannelID> = []
    }

    /// A call of the follower.
    struct Call {
        enum Kind { case takeCursor, read }

        var number: Int
        var kind: Kind
        var cursor: LogCursor?
        var isSocket: Bool
        /// The channels that were readable when the stream was opened.
        var allowed: Set<ChannelID>
        var reader: EventSubscriptions.ReaderID?
    }

    /// A page that is being read.
    struct PageRead {
        let number: Int
        /// Records that events brought, and removed, since it was requested.
        var arrived: Set<RecordKey> = []
        var gone: Set<RecordKey> = []
        /// Due again: what is on its way may be older than what was asked for.
        var isStale = false
    }

    var store = Store()
    var follower = EventFollower()
    var choice: CarrierChoice
    var call: Call?
    var calls = 0
    /// The newest version of the hub that a page showed.
    var pageVersion: Int64 = 0
    /// The state that a faulty device reads before it takes the cursor.
    var earlyState: [ChannelID: LogHub.Page]?
    var pages: [ChannelID: PageRead] = [:]
    var pageNumber = 0
    var isSocketOpen = false
    /// The channels that were readable when the stream was opened.
    var allowed: Set<ChannelID> = []

    init(store: Store = Store(), choice: CarrierChoice, calls: Int = 0) {
        self.store = store
        self.choice = choice
        self.calls = calls
    }

    /// True while the device has the state of everything that it follows.
    var isComplete: Bool { follower.state == .upToDate && store.due.isEmpty && pages.isEmpty }
}
