// Excel: Data, Get Data, From Other Sources, Blank Query, Advanced Editor. Change the first two lines, and choose Anonymous when
// Excel asks how to sign in: the key is sent as a header.
let
    Address = "http://127.0.0.1:8080",
    Key = "gk_...",
    Options = [Headers = [Authorization = "Bearer " & Key, Accept = "application/json"]],
    PageOf = (cursor as text) =>
        Json.Document(
            Web.Contents(
                Address,
                Options & [
                    RelativePath = "v1/devices",
                    Query = [profile = "silo_scale", include = "readings", limit = "500"]
                        & (if cursor = "" then [] else [cursor = cursor])
                ]
            )
        ),
    Pages = List.Generate(
        () => PageOf(""),
        each _ <> null,
        each if [page][next_cursor] = null then null else PageOf([page][next_cursor])
    ),
    Silos = List.Combine(List.Transform(Pages, each [data])),
    ValueOf = (silo as record, sensor as text) =>
        let readings = Record.FieldOrDefault(silo, "readings", []), one = Record.FieldOrDefault(readings, sensor, null)
        in if one = null then null else one[value],
    Rows = List.Transform(
        Silos,
        each [
            Silo = [device_id],
            Name = [name],
            Facility = [location][facility],
            Status = [status],
            #"Weight kg" = ValueOf(_, "weight"),
            #"Level percent" = ValueOf(_, "level"),
            #"Last seen" = if [last_seen] = null then null else DateTimeZone.FromText([last_seen])
        ]
    )
in
    Table.FromRecords(Rows)
