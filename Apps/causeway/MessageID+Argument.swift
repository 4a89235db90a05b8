public import ArgumentParser
public import Causeway
import CausewayControl

extension MessageID: ExpressibleByArgument {}
extension PlaceMark: ExpressibleByArgument {}
