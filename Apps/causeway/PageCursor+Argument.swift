import ArgumentParser
import CausewayControl

extension PlaceMark: ExpressibleByArgument {}
