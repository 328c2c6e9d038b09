/// The relay's health, for requests over HTTP. Confined to the core's thread.
protocol RelayOverview: AnyObject {
    /// False while the store refuses writes.
    var isReady: Bool { get }
    /// Sets the gauges that are looked at only when somebody asks.
    func look()
    /// A person confirms that the machine's clock is right; false if it was not in doubt.
    func confirmClock() -> Bool
    /// Asks for a `Report`, as JSON.
    func makeReport(_ answer: @escaping ([UInt8]) -> Void)
}
