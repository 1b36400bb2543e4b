/** Addresses that no other machine can mean (upstream's ValidateEndpointIP), in whatever form they are written. */
import { invalidValue } from '../../field-error.ts';
import { parseAddress, shownAddress } from '../address-form.ts';
import type { Errors } from '../rule.ts';

export function endpointIp(out: Errors, path: string, ip: string): void {
	const address = parseAddress(ip);
	const say = (text: string): void => void out.push(invalidValue(path, ip, text));
	if (address === undefined) return say('must be a valid IP address');
	// IPv4 in IPv6 means the IPv4.
	const shown = shownAddress(address);
	if (shown === '0.0.0.0' || shown === '::') say(`may not be unspecified (${ip})`);
	if (shown.startsWith('127.') || shown === '::1') say('may not be in the loopback range (127.0.0.0/8, ::1/128)');
	if (shown.startsWith('169.254.') || /^fe[89ab][0-9a-f]:/.test(shown))
		say('may not be in the link-local range (169.254.0.0/16, fe80::/10)');
	if (shown.startsWith('224.0.0.') || /^ff[0-9a-f]2:/.test(shown))
		say('may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)');
}
