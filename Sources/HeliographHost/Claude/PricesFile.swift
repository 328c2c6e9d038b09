internal import AgentClaude
internal import HeliographHook
internal import HeliographPlatform
internal import RelayProtocol

/// `prices.json` in the configuration directory: the prices that the host's owner pays for models that Claude Code does not know.
struct PricesFile {
    private static let bytesMax = 64 << 10
    static let modelsMax = 64
    /// Highest price: a million dollars for a million tokens is a mistake.
    static let microUSDMax: Int64 = 1_000_000_000_000

    private let directory: String

    var path: String { directory + "/prices.json" }

    init(_ paths: HostPaths) { directory = paths.configDirectory }

    func read() throws(HostError) -> ModelPrices {
        guard let bytes = try Files.read(path, bytesMax: Self.bytesMax) else { return ModelPrices() }
        do throws(WireError) {
            var prices = ModelPrices()
            for entry in try JSONDocument(parsing: bytes).root.array("prices", countMax: Self.modelsMax) {
                func price(_ name: StaticString) throws(WireError) -> Int64 {
                    try entry.integer(name, in: 0...Self.microUSDMax)
                }
                prices.byModel[try entry.string("model", bytesMax: WireLimits.nameBytesMax)] = ModelPrices.Price(
                    input: try price("input"), output: try price("output"), cacheRead: try price("cacheRead"),
                    cacheWrite: try price("cacheWrite"))
            }
            return prices
        } catch {
            throw HostError(.badConfiguration, "\(path) is not as `heliograph cost price` writes it: \(error)")
        }
    }

    /// Changes the prices in one step, so that two commands at once both take effect.
    func update(_ change: (inout ModelPrices) throws(HostError) -> Void) throws(HostError) {
        try Files.edit(in: directory) { () throws(HostError) in
            var prices = try read()
            try change(&prices)
            let bytes = JSONWriter.object { $0.array("prices", Self.entries(of: prices)) }
            try Files.replace(path, with: bytes + [UInt8(ascii: "\n")])
        }
    }

    /// The prices as JSON, in micro-dollars for a million tokens.
    static func entries(of prices: ModelPrices) -> [[UInt8]] {
        prices.byModel.sorted { $0.key < $1.key }.map { model, price in
            JSONWriter.object {
                $0.field("model", model)
                $0.field("input", price.input)
                $0.field("output", price.output)
                $0.field("cacheRead", price.cacheRead)
                $0.field("cacheWrite", price.cacheWrite)
            }
        }
    }
}

/// Reads the prices again when their file has changed.
struct PricesReader {
    private let file: PricesFile
    private var stamp: FileStamp?

    init(_ paths: HostPaths) { file = PricesFile(paths) }

    /// The prices; nil if the file is unchanged, or cannot be read: then the old prices stay.
    mutating func changed() -> ModelPrices? {
        let now = FileStamp(of: file.path)
        guard now != stamp else { return nil }
        stamp = now
        return try? file.read()
    }
}
