// A frame as the server writes it.
export function frame(head, numbers) {
  let json = Buffer.from(JSON.stringify(head));
  json = Buffer.concat([json, Buffer.alloc((8 - (json.length % 8)) % 8, 32)]);
  const header = Buffer.alloc(8);
  header.writeUInt32LE(json.length, 0);
  header.writeUInt32LE(numbers.length * 8, 4);
  return Buffer.concat([header, json, Buffer.from(new Float64Array(numbers).buffer)]);
}
