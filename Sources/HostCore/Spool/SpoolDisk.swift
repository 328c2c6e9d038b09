/// The one directory that a spool has to itself: files by name, without folders.
package protocol SpoolDisk: AnyObject {
    /// In no order.
    func names() throws(SpoolError) -> [String]

    /// The whole file; throws if there is none.
    func contents(of name: String) throws(SpoolError) -> [UInt8]

    /// `count` bytes; fewer if the file ends.
    func read(_ name: String, at offset: Int, count: Int) throws(SpoolError) -> [UInt8]

    /// The file holds either what it held, or did not exist, or `bytes`, whatever happens; on disk when this returns.
    func replace(_ name: String, with bytes: [UInt8]) throws(SpoolError)

    /// All of it at the end of a file that exists, safe from the end of this process, or throws with an unknown part written.
    func append(_ bytes: [UInt8], to name: String) throws(SpoolError)

    /// Once this returns, appended bytes survive a crash of the machine; if it throws, it is not known which do.
    func synchronize(_ name: String) throws(SpoolError)

    func truncate(_ name: String, to size: Int) throws(SpoolError)

    func remove(_ name: String) throws(SpoolError)
}
