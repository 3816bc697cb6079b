/**
 * Returns the member that owns a key: the member with the highest hash of member and key (rendezvous hashing). When a
 * member joins or leaves, only that member's keys move. All replicas must agree, so the hash may never change: FNV-1a
 * over UTF-16 code units, finalized like MurmurHash3.
 */
export function ownerOf(members: readonly string[], key: string): string | undefined {
  let owner: string | undefined;
  let highest = -1;
  for (const member of members) {
    const weight = hash(member, key);
    if (weight < highest || (weight === highest && owner !== undefined && owner <= member)) continue;
    owner = member;
    highest = weight;
  }
  return owner;
}

function hash(member: string, key: string): number {
  let h = add(add(0x811c9dc5, member) ^ 0xff, key);
  h ^= h >>> 16;
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

function add(start: number, text: string): number {
  let h = start;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return h;
}
