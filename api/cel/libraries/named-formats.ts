/** Formats by name, each answering why a text is not of it. */
import { isBase64 } from '../../../base/base64.ts';
import { dns1035Label, dnsLabel, dnsSubdomain, labelValue, qualifiedName } from '../../validation/names.ts';
import { parseTimestamp } from './time-text.ts';

export type Validate = (text: string) => readonly string[];

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;

const when =
	(isGood: (text: string) => boolean, why: string): Validate =>
	(text) =>
		isGood(text) ? [] : [why];

function isDate(text: string): boolean {
	return /^\d{4}-\d\d-\d\d$/.test(text) && parseTimestamp(`${text}T00:00:00Z`) !== undefined;
}

function isUri(text: string): boolean {
	return /^([A-Za-z][A-Za-z0-9+.-]*:[^\s]*|\/[^\s]*)$/.test(text) && (text.startsWith('/') || URL.canParse(text));
}

export const NAMED_FORMATS: Readonly<Record<string, Validate>> = {
	dns1123Label: (text) => dnsLabel(text),
	dns1123Subdomain: (text) => dnsSubdomain(text),
	dns1035Label: (text) => dns1035Label(text),
	qualifiedName,
	dns1123LabelPrefix: (text) => dnsLabel(text, true),
	dns1123SubdomainPrefix: (text) => dnsSubdomain(text, true),
	dns1035LabelPrefix: (text) => dns1035Label(text, true),
	labelValue,
	uri: (text) => (isUri(text) ? [] : [`parse ${JSON.stringify(text)}: invalid URI for request`]),
	uuid: when((text) => UUID.test(text), 'does not match the UUID format'),
	byte: when((text) => text !== '' && isBase64(text), 'invalid base64'),
	date: when(isDate, 'invalid date'),
	datetime: when((text) => parseTimestamp(text) !== undefined, 'invalid datetime'),
};
