/// One header field, including pseudo-headers such as `:path`. Names are lower case, as HTTP/2 requires.
package struct HTTP2Header: Hashable, Sendable {
    package var name: String
    package var value: String
    /// True if the value changes each time, so that keeping it in the compressor's table would only evict others.
    package var isVolatile: Bool

    package init(_ name: String, _ value: String, isVolatile: Bool = false) {
        self.name = name
        self.value = value
        self.isVolatile = isVolatile
    }
}
