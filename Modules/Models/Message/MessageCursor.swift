public import CausewayStorage

/// A position in an ordered list of messages, between the end of one page and the start of the next.
public typealias MessageCursor = MessageQuery.Cursor
