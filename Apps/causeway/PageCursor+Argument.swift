import ArgumentParser
import CausewayControlAPI

extension PageCursor: ExpressibleByArgument {}
