/// How the relay is, for those who ask over HTTP. Lives on the core's thread.
protocol RelayOverview: AnyObject {
    /// False while the store refuses writes.
    var isReady: Bool { get }
    /// Sets the gauges that are looked at only when somebody asks.
    func look()
    /// A person says that the machine's clock is right; false where nobody doubted it.
    func confirmClock() -> Bool
    /// Asks for a `Report`, as JSON.
    func makeReport(_ answer: @escaping ([UInt8]) -> Void)
}
