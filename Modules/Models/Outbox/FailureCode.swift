/// The machine-readable codes of failures: of ``Failure/code``, of the cases of ``TransportError`` that have a code,
/// and of refused operations.
///
/// Constants of strings, because a server may have codes of its own, and gets new ones. A code never changes its
/// meaning.
///
/// ```swift
/// if message.failure?.code == FailureCode.notMember { offerToJoin() }
/// ```
public enum FailureCode {
    // MARK: Operations that the hub refused

    /// No account has the name that a write names.
    public static let accountNotFound = "accountNotFound"
    /// Records of the kind have no such action.
    public static let actionUnknown = "actionUnknown"
    /// The arguments of a write are missing, too large or invalid.
    public static let argumentsInvalid = "argumentsInvalid"
    /// An edit cannot give a message another file.
    public static let attachmentDiffers = "attachmentDiffers"
    /// The file is not on the server, or the account may not read it: upload it again.
    public static let attachmentUnknown = "attachmentUnknown"
    /// Another account created a channel of this name.
    public static let channelExists = "channelExists"
    /// The channel has had messages, and cannot be removed.
    public static let channelInUse = "channelInUse"
    /// No channel of this name, as far as the account may know.
    public static let channelNotFound = "channelNotFound"
    /// The content, or a tag, is missing or malformed.
    public static let contentInvalid = "contentInvalid"
    /// The role of the account does not allow it.
    public static let forbidden = "forbidden"
    /// The id of a record is too long, or not one of its kind.
    public static let idInvalid = "idInvalid"
    /// Another account used the id.
    public static let idTaken = "idTaken"
    /// The server has no records of the kind.
    public static let kindUnknown = "kindUnknown"
    /// A channel keeps at least one owner.
    public static let lastOwner = "lastOwner"
    /// The user is not a member of the channel.
    public static let memberNotFound = "memberNotFound"
    /// The message was deleted.
    public static let messageDeleted = "messageDeleted"
    /// The account is not a member of the channel: join first.
    public static let notMember = "notMember"
    /// Another account sent the message.
    public static let notAuthor = "notYours"
    /// The operation was deleted before it arrived.
    public static let operationDeleted = "operationDeleted"
    /// The reaction has no target, or an invalid name.
    public static let reactionInvalid = "reactionInvalid"
    /// The content is larger than the server accepts, or there are too many tags.
    public static let tooLarge = "tooLarge"
    /// The limit of channels, members or memberships is reached.
    public static let tooMany = "tooMany"
    /// Too many channels were created from the address: the operation is tried again later.
    public static let tooManyNewChannels = "tooManyNewChannels"
    /// The message has as many reactions as it may.
    public static let tooManyReactions = "tooManyReactions"
    /// An edit cannot change the type of a message.
    public static let typeDiffers = "typeDiffers"
    /// The server does not accept messages of the type.
    public static let typeUnsupported = "typeUnsupported"

    // MARK: Found by the client

    /// The server does not have the file, or the account may not read it.
    public static let blobNotFound = "blobNotFound"
    /// A request would be larger than the server accepts.
    public static let bodyTooLarge = "bodyTooLarge"
    /// Too many requests are under way.
    public static let clientBusy = "clientBusy"
    /// It was older than its limit: ``Failure/Reason/expired``.
    public static let expired = "expired"
    /// The file of the message is shorter than it was: it is damaged.
    public static let fileChanged = "fileChanged"
    /// A download could not be stored.
    public static let fileNotStored = "fileNotStored"
    /// The file of the message cannot be read any more.
    public static let fileUnreadable = "fileUnreadable"
    /// The server or the store has no files.
    public static let filesUnsupported = "filesUnsupported"
    /// The description of a file has an invalid hash.
    public static let hashInvalid = "hashInvalid"
    /// A file arrived with other bytes than its hash says.
    public static let hashMismatch = "hashMismatch"
    /// The program stopped during the last attempt.
    public static let interrupted = "interrupted"
    /// The server refused a copy that arrived too late.
    public static let late = "late"
    /// The user logged out before it was delivered.
    public static let loggedOut = "loggedOut"
    /// The message that it refers to is not on the server.
    public static let messageNotFound = "messageNotFound"
    /// No response arrived.
    public static let noAnswer = "noAnswer"
    /// The server's response could not be stored here.
    public static let notStored = "notStored"
    /// A download was to begin beyond the end of the file.
    public static let offsetInvalid = "offsetInvalid"
    /// The server named another offset of an upload each time.
    public static let offsetMismatch = "offsetMismatch"
    /// It belongs to an account that is not logged in.
    public static let otherAccount = "otherAccount"
    /// The message that it refers to was deleted before it was delivered.
    public static let parentDeleted = "parentDeleted"
    /// The filter of a list is invalid.
    public static let queryInvalid = "queryInvalid"
    /// The program stopped before it was delivered: `RestartPolicy`.
    public static let restarted = "restarted"
    /// The server does not know the upload any more.
    public static let sessionUnknown = "sessionUnknown"
    /// The store cannot be read at the moment.
    public static let storeUnavailable = "storeUnavailable"
    /// Too many writes wait for their results.
    public static let tooManyWrites = "tooManyWrites"
    /// Its stored record is damaged.
    public static let unreadable = "unreadable"
    /// It could not be encoded into a request.
    public static let unsendable = "unsendable"
}

extension FailureCode {
    /// The codes of operations that the hub refused; those of `Documentation/Hub.md`.
    package static let ofHub: Set<String> = [
        accountNotFound, actionUnknown, argumentsInvalid, attachmentDiffers, attachmentUnknown, channelExists,
        channelInUse, channelNotFound, contentInvalid, forbidden, idInvalid, idTaken, kindUnknown, lastOwner,
        memberNotFound, messageDeleted, notMember, notAuthor, operationDeleted, reactionInvalid, tooLarge,
        tooMany, tooManyNewChannels, tooManyReactions, typeDiffers, typeUnsupported,
    ]

    /// The codes of failures that the client finds itself.
    package static let ofClient: Set<String> = [
        blobNotFound, bodyTooLarge, clientBusy, expired, fileChanged, fileNotStored,
        fileUnreadable, filesUnsupported, hashInvalid, hashMismatch, interrupted, late, loggedOut,
        messageNotFound, noAnswer, notStored, offsetInvalid, offsetMismatch, otherAccount, parentDeleted,
        queryInvalid, restarted, sessionUnknown, storeUnavailable, tooManyWrites, unreadable, unsendable,
    ]
}
