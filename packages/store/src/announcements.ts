/** The changes on one node, which are announced to the other nodes on the same database. */
export interface Announcement {
  /** The devices with new readings. */
  readonly deviceNos: Iterable<number>;
  /** The devices whose record or configuration has changed. */
  readonly deviceIds: readonly string[];
  readonly hasEvents: boolean;
  /** The ids of the keys and people and the hashes of the sessions whose access has changed or begun. */
  readonly accessIds: readonly string[];
}

export interface AnnouncementReader {
  readonly received: (announcement: Announcement) => void;
  /** Reports that announcements may have been missed until now. */
  readonly resumed: () => void;
}

/**
 * Tells the other nodes at once what they would find out later. An announcement can be lost, so it decides only how soon a node
 * knows of a change, never whether it does.
 */
export interface Announcements {
  /** False while announcements of other nodes may be missed. */
  readonly isReceiving: boolean;
  start(reader: AnnouncementReader): void;
  /** Sends an announcement without waiting for it. */
  post(announcement: Announcement): void;
}
