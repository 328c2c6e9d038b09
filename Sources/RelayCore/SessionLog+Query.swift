extension SessionLog {
    package func page(_ query: LogQuery) throws(LogError) -> LogPage {
        switch query.range {
        case .after(let seq): try events(of: query.key, after: seq, limit: query.limit, bytesMax: query.bytesMax)
        case .before(let seq): try events(of: query.key, before: seq, limit: query.limit, bytesMax: query.bytesMax)
        }
    }
}
