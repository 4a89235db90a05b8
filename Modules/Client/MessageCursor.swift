public import CausewayStorage

/// A place in an ordered list of messages, where a page ends and the next begins.
public typealias MessageCursor = MessageQuery.Cursor
