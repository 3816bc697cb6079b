/** True for the names and addresses of this machine itself, as in a URL. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|.*\.localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/.test(hostname);
}
