import ArgumentParser
import CausewayControl

extension PageCursor: ExpressibleByArgument {}
