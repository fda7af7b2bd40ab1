// Hands a file to the browser's downloads.

export function save(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // The download reads from the address after the click is over.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
