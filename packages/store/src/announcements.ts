/** What has changed on one node, for the others on the same database. */
export interface Announcement {
  /** The devices with new readings. */
  readonly deviceNos: Iterable<number>;
  /** The devices whose record or configuration has changed. */
  readonly deviceIds: readonly string[];
  readonly hasEvents: boolean;
  /** The keys, people and sessions (their hashes) whose access has changed or begun. */
  readonly accessIds: readonly string[];
}

export interface AnnouncementReader {
  readonly received: (announcement: Announcement) => void;
  /** Announcements may have been missed until now. */
  readonly resumed: () => void;
}

/**
 * Tells the other nodes at once what they would find out later. An announcement can be lost, so it decides only how soon a node knows
 * something, never whether.
 */
export interface Announcements {
  /** False while announcements of the others may be missed. */
  readonly isReceiving: boolean;
  start(reader: AnnouncementReader): void;
  /** Returns at once. */
  post(announcement: Announcement): void;
}
