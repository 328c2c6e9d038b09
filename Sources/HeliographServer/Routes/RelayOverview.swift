/// The relay's state, for HTTP requests. Confined to the core's thread.
protocol RelayOverview: AnyObject {
    /// False while the store refuses writes.
    var isReady: Bool { get }
    /// Updates the metrics that are only measured on request.
    func look()
    /// A person confirms that the machine's clock is right; false if it was trusted anyway.
    func confirmClock() -> Bool
    /// Makes a `Report`, as JSON.
    func makeReport(_ answer: @escaping ([UInt8]) -> Void)
}
