/** String formats that are checked (kube-openapi strfmt); a format that is not here says nothing. */
import { isIPv4, isIPv6 } from 'node:net';
import { isBase64 } from '../../base/base64.ts';
import { dnsLabel, dnsSubdomain } from '../validation/names.ts';
import { ANY_FORMAT, type Schema } from './schema.ts';
import { isRequestUri } from './request-uri.ts';
import { namedDuration } from '../cel/libraries/schema-formats.ts';
import { parseTimestamp } from '../cel/libraries/time-text.ts';

const UUID = '[0-9a-f]{8}-?[0-9a-f]{4}-?';
const uuid = (version: string, variant: string): RegExp => new RegExp(`^${UUID}${version}-?${variant}-?[0-9a-f]{12}$`, 'i');
const UUID_ANY = uuid('[0-9a-f]{4}', '[0-9a-f]{4}');
const UUID3 = uuid('3[0-9a-f]{3}', '[0-9a-f]{4}');
const UUID4 = uuid('4[0-9a-f]{3}', '[89ab][0-9a-f]{3}');
const UUID5 = uuid('5[0-9a-f]{3}', '[89ab][0-9a-f]{3}');
const LETTER = String.raw`[a-zA-Z0-9\p{S}\p{L}]`;
const HOSTNAME = new RegExp(
	`^(?:${LETTER}(?:-?${LETTER}{0,62})?|(?:${LETTER}(?:[a-zA-Z0-9\\-\\p{S}\\p{L}]{0,61}${LETTER})?\\.)+[a-zA-Z\\p{L}]{2,63})$`,
	'u',
);
const ADDRESS = String.raw`(?:[^\s@<>()[\],;:\\"]+(?:\.[^\s@]+)*|"(?:[^"\\]|\\.)+")@[^\s@<>]+`;
const WORD = String.raw`(?:[^\s@<>()[\],;:\\"]+|"(?:[^"\\]|\\.)*")`;
/** Alone, or in angle brackets after a name. */
const EMAIL = new RegExp(`^(?:${ADDRESS}|(?:${WORD}\\s*)*<${ADDRESS}>)$`);
const HEX_COLOR = /^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/;
const RGB_PART = String.raw`[\t\n\f\r ]*(?:0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])[\t\n\f\r ]*`;
const RGB_COLOR = new RegExp(`^rgb\\(${RGB_PART},${RGB_PART},${RGB_PART}\\)$`);
const CREDIT_CARD =
	/^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/;
const SSN = /^\d{3}[- ]\d{2}[- ]\d{4}$/;
const MAC = /^([0-9a-fA-F]{2}([:-])([0-9a-fA-F]{2}\2){4}([0-9a-fA-F]{2}\2){0,14}[0-9a-fA-F]{2}|([0-9a-fA-F]{4}\.){2,9}[0-9a-fA-F]{4})$/;

const CHECKS: Readonly<Record<string, (text: string) => boolean>> = {
	bsonobjectid: (text) => /^[0-9a-fA-F]{24}$/.test(text),
	uri: isRequestUri,
	email: (text) => EMAIL.test(text),
	hostname: isHostname,
	// An IPv4 address inside of an IPv6 one is one.
	ipv4: (text) => isIPv4(unpadded(text)) || (isIPv6(unpadded(text)) && /^[^%]*\.[^%]*$/.test(text)),
	ipv6: isPlainIPv6,
	cidr: isCidr,
	// Digits alone are taken too.
	mac: (text) => MAC.test(text) || /^(?:[0-9a-fA-F]{12}|[0-9a-fA-F]{16}|[0-9a-fA-F]{40})$/.test(text),
	uuid: (text) => UUID_ANY.test(text),
	uuid3: (text) => UUID3.test(text),
	uuid4: (text) => UUID4.test(text),
	uuid5: (text) => UUID5.test(text),
	isbn: (text) => isIsbn10(text) || isIsbn13(text),
	isbn10: isIsbn10,
	isbn13: isIsbn13,
	creditcard: (text) => isCreditCard(text.replaceAll(/[^0-9]+/g, '')),
	ssn: (text) => SSN.test(text),
	hexcolor: (text) => HEX_COLOR.test(text),
	rgbcolor: (text) => RGB_COLOR.test(text),
	byte: (text) => text !== '' && isBase64(text),
	password: () => true,
	date: isDate,
	duration: (text) => namedDuration(text) !== undefined,
	datetime: isDateTime,
	k8sshortname: (text) => dnsLabel(text).length === 0,
	k8slongname: (text) => dnsSubdomain(text).length === 0,
};

/** Whether a text is of the format. */
export function isOfFormat(format: string, text: string): boolean {
	const name = format.replaceAll('-', '');
	return !Object.hasOwn(CHECKS, name) || CHECKS[name]?.(text) === true;
}

/** The format where it says something of the schema's type, else empty (StripUnsupportedFormatsPostProcessorForVersion). */
export function formatOf({ type = '', format = '', [ANY_FORMAT]: isAny }: Schema): string {
	if (isAny === true) return format;
	switch (type) {
		case '':
		case 'string':
			return Object.hasOwn(CHECKS, format.replaceAll('-', '')) ? format : '';
		case 'integer':
			return format === 'int32' || format === 'int64' ? format : '';
		case 'number':
			return format === 'float' || format === 'double' ? format : '';
		default:
			return '';
	}
}

function isDate(text: string): boolean {
	return /^\d{4}-\d\d-\d\d$/.test(text) && parseTimestamp(`${text}T00:00:00Z`) !== undefined;
}

function isDateTime(text: string): boolean {
	const [date = '', time] = text.toLowerCase().split('t');
	if (time === undefined || !isDate(date)) return false;
	// Anything may be the point.
	const [found, hours = '', minutes = '', seconds = ''] = /^(\d\d):(\d\d):(\d\d)(?:.\d+)?(?:z|[+-]\d\d:\d\d)$/.exec(time) ?? [];
	return found !== undefined && hours <= '23' && minutes <= '59' && seconds <= '59';
}

function isHostname(text: string): boolean {
	return HOSTNAME.test(text) && text.length <= 255 && text.split('.').every((part) => part.length <= 63);
}

/** Leading zeros were allowed before Go 1.17, and still are here. */
function unpadded(address: string): string {
	const start = address.lastIndexOf(':') + 1;
	const dotted = address.slice(start);
	if (!dotted.includes('.')) return address;
	const parts = dotted.split('.').map((part) => part.replace(/^0+(?=\d)/, ''));
	return address.slice(0, start) + parts.join('.');
}

function isPlainIPv6(text: string): boolean {
	return isIPv6(unpadded(text)) && !text.includes('%');
}

function isCidr(text: string): boolean {
	const [, address = '', length = ''] = /^([^/]+)\/(\d+)$/.exec(text) ?? [];
	return (isIPv4(unpadded(address)) && Number(length) <= 32) || (isPlainIPv6(address) && Number(length) <= 128);
}

function isIsbn10(text: string): boolean {
	const digits = text.replaceAll(/[\s-]+/g, '');
	if (!/^\d{9}[\dX]$/.test(digits)) return false;
	return [...digits].reduce((sum, c, i) => sum + (i + 1) * (c === 'X' ? 10 : Number(c)), 0) % 11 === 0;
}

function isIsbn13(text: string): boolean {
	const digits = text.replaceAll(/[\s-]+/g, '');
	if (!/^\d{13}$/.test(digits)) return false;
	return [...digits].reduce((sum, c, i) => sum + (i % 2 === 0 ? 1 : 3) * Number(c), 0) % 10 === 0;
}

function isCreditCard(digits: string): boolean {
	if (!CREDIT_CARD.test(digits)) return false;
	const sum = [...digits].toReversed().reduce((total, c, i) => {
		const value = i % 2 === 0 ? Number(c) : Number(c) * 2;
		return total + (value > 9 ? value - 9 : value);
	}, 0);
	return sum % 10 === 0;
}
