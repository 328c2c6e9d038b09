/// The cards of the platform that this was built for.
#if canImport(ActivityKit) && !os(macOS) && !targetEnvironment(macCatalyst)
public typealias PlatformCards = ActivityKitCards
#else
public typealias PlatformCards = UnsupportedCards
#endif
