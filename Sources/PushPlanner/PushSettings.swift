/// What the planner of pushes starts from besides its records.
package struct PushSettings: Sendable {
    package var profiles: ProfileSet
    /// Apps whose cards listen to a broadcast channel where the system can (iOS 18): by bundle.
    package var broadcastBundles: Set<String> = []
    /// The minute of the day, 0 to 1,439, at this moment (milliseconds since 1970) in this time zone of the tz database; nil where
    /// there is no such zone. The planner knows no time zones.
    package var localMinute: @Sendable (_ timeZone: String, _ at: Int64) -> Int64?

    package init(
        profiles: ProfileSet = ProfileSet(), broadcastBundles: Set<String> = [],
        localMinute: @escaping @Sendable (String, Int64) -> Int64? = { _, _ in nil }
    ) {
        self.profiles = profiles
        self.broadcastBundles = broadcastBundles
        self.localMinute = localMinute
    }
}
