extension StoreSchema {
    /// Records other than messages, as confirmed by the server, and their lists.
    ///
    /// `record.value` is the JSON of the record's kind, `record.entries` a list of ``RecordRow/Entry``. `record_entry`
    /// has a row for each entry: its primary key is the order of the lists, and includes the record's id.
    static let recordLayout = """
        CREATE TABLE record (
          id INTEGER PRIMARY KEY,
          account INTEGER NOT NULL,
          kind TEXT NOT NULL,
          record TEXT NOT NULL,
          version INTEGER NOT NULL,
          value TEXT NOT NULL,
          entries TEXT NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX record_id ON record(account, kind, record);
        CREATE TABLE record_entry (
          account INTEGER NOT NULL,
          kind TEXT NOT NULL,
          name TEXT NOT NULL,
          scope TEXT NOT NULL,
          key BLOB NOT NULL,
          record TEXT NOT NULL,
          PRIMARY KEY (account, kind, name, scope, key, record)
        ) STRICT, WITHOUT ROWID;
        """
}
