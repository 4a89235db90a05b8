public import CausewayModels
public import CausewayRuntime
public import CausewayTransport

/// The servers and faults with which the suite examines a transport.
public struct TransportHarness: Sendable {
    /// Runs `body` with a new server on which one account may write to one channel, which is empty; returns its result.
    public var withServer:
        @Sendable (_ body: @Sendable (any ConformanceServer) async throws -> Bool) async throws -> Bool
    /// The faults that the servers can cause. Rules that need others do not apply.
    public var faults: Set<ServerFault.Kind>
    /// The longest time that a call may take that must end by itself, or soon. Only a transport that breaks the promise
    /// takes that long, so it may be generous.
    public var patience: Duration
    /// The clock and the tasks of the tests.
    public var runtime: any Runtime

    /// Creates a harness; see the properties.
    public init(
        faults: Set<ServerFault.Kind> = Set(ServerFault.Kind.allCases), patience: Duration = .seconds(600),
        runtime: any Runtime = SystemRuntime(),
        withServer:
            @escaping @Sendable (
                _ body: @Sendable (any ConformanceServer) async throws -> Bool
            ) async throws -> Bool
    ) {
        self.faults = faults
        self.patience = patience
        self.runtime = runtime
        self.withServer = withServer
    }
}

/// One server of a harness, for as long as one rule runs.
public protocol ConformanceServer: Sendable {
    /// The account that may write to the channel.
    var user: UserID { get }
    /// The account's token.
    var token: AccessToken { get }
    /// The channel, empty at first.
    var channel: ChannelID { get }

    /// Creates a transport to the server. The suite closes it.
    func makeTransport(_ kind: ConformanceTransport) async throws -> any Transport

    /// Applies to every delivery from now on, over transports that exist and new ones; in force on return.
    func use(_ fault: ServerFault) async throws

    /// The requests to deliver that arrived at the server since it started, refused and faulty ones included.
    func deliveriesSeen() async throws -> Int

    /// The messages of the channel in the server's order, read past the faults.
    func stored() async throws -> [MessageID]

    /// Records other than messages, which exist from the start; `nil`, the default, if the server has none. The rules
    /// about records then do not apply.
    var records: RecordSample? { get }
}

extension ConformanceServer {
    public var records: RecordSample? { nil }
}

/// Records on a server of a harness.
public struct RecordSample: Sendable {
    /// A list that the account may read.
    public var list: RecordList
    /// The ids of all records of the list, at least five, in ascending order.
    public var ids: [String]
    /// The id of a record of the kind that does not exist.
    public var missing: String
    /// A list of the kind that does not exist, or that the account may not read.
    public var forbidden: RecordList

    /// Creates a sample; the records must exist before the first rule runs.
    public init(list: RecordList, ids: [String], missing: String, forbidden: RecordList) {
        self.list = list
        self.ids = ids
        self.missing = missing
        self.forbidden = forbidden
    }
}

/// The transports that a rule asks for.
public enum ConformanceTransport: Sendable, Hashable {
    /// To the server, with the account's token.
    case working
    /// The same, with short time-outs.
    case impatient
    /// To the server, with a token that it does not know.
    case withWrongToken
    /// To an address without a server.
    case withoutServer
}

/// A fault between a transport and its server, or in the server.
public enum ServerFault: Sendable, Hashable {
    /// No fault; ends any other.
    case none
    /// Requests are cut off after a part of them was sent: the server sees nothing of them.
    case loseRequest
    /// The server applies the delivery, and its response is lost.
    case loseResponse
    /// The server's response does not follow the protocol; nothing is applied.
    case malformedResponse
    /// Requests get no response for as long as the fault is in force.
    case stall
    /// The server responds that it cannot apply anything now.
    case busy
    /// The server asks to wait for this time.
    case rateLimit(Duration)

    /// A fault without its parameters.
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// ``ServerFault/loseRequest``.
        case loseRequest
        /// ``ServerFault/loseResponse``.
        case loseResponse
        /// ``ServerFault/malformedResponse``.
        case malformedResponse
        /// ``ServerFault/stall``.
        case stall
        /// ``ServerFault/busy``.
        case busy
        /// ``ServerFault/rateLimit(_:)``.
        case rateLimit
    }
}
