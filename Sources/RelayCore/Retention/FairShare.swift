/// Divides a limit among its users: a user with less than an equal share keeps all of it, and the rest is shared equally by the
/// others.
enum FairShare {
    /// Amount by which each user exceeds its share; users that do not are left out.
    static func excess<Name: Hashable>(of used: [Name: Int64], above max: Int64) -> [Name: Int64] {
        guard used.values.reduce(0, +) > max else { return [:] }
        var (left, count, share) = (max, Int64(used.count), Int64(0))
        for amount in used.values.sorted() {
            share = left / count
            if amount > share { break }
            left -= amount
            count -= 1
        }
        return used.compactMapValues { $0 > share ? $0 - share : nil }
    }
}
