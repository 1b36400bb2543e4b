/**
 * Time zones by the names that Go knows, which are those of the IANA's files, to the letter. Intl takes them in any case, and a few more ("PST"); of
 * the links (the file `backward` of the IANA) it lists none, nor the zone of who has not chosen any ("Factory").
 *
 * Compared name by name with the 598 files of Go 1.26's lib/time/zoneinfo.zip, under Node.js 24 (tz 2026c): none is missing, none is more.
 */

const LINKS: Readonly<Record<string, string>> = {
	'': [
		'CET CST6CDT Cuba EET EST EST5EDT Egypt Eire Factory GB GB-Eire GMT GMT+0 GMT-0 GMT0 Greenwich HST Hongkong Iceland Iran Israel',
		'Jamaica Japan Kwajalein Libya MET MST MST7MDT NZ NZ-CHAT Navajo PRC PST8PDT Poland Portugal ROC ROK Singapore Turkey UCT UTC',
		'Universal W-SU WET Zulu',
	].join(' '),
	Africa: 'Asmara Timbuktu',
	America: [
		'Atikokan Atka Ensenada Fort_Wayne Knox_IN Montreal Nipigon Nuuk Pangnirtung Porto_Acre Rainy_River Rosario Santa_Isabel',
		'Shiprock Thunder_Bay Virgin Yellowknife',
	].join(' '),
	'America/Argentina': 'Buenos_Aires Catamarca ComodRivadavia Cordoba Jujuy Mendoza',
	'America/Indiana': 'Indianapolis',
	'America/Kentucky': 'Louisville',
	Antarctica: 'South_Pole',
	Asia: [
		'Ashkhabad Choibalsan Chongqing Chungking Dacca Harbin Ho_Chi_Minh Istanbul Kashgar Kathmandu Kolkata Macao Tel_Aviv Thimbu',
		'Ujung_Pandang Ulan_Bator Yangon',
	].join(' '),
	Atlantic: 'Faroe Jan_Mayen',
	Australia: 'ACT Canberra Currie LHI NSW North Queensland South Tasmania Victoria West Yancowinna',
	Brazil: 'Acre DeNoronha East West',
	Canada: 'Atlantic Central Eastern Mountain Newfoundland Pacific Saskatchewan Yukon',
	Chile: 'Continental EasterIsland',
	Etc: [
		'GMT GMT+0 GMT+1 GMT+10 GMT+11 GMT+12 GMT+2 GMT+3 GMT+4 GMT+5 GMT+6 GMT+7 GMT+8 GMT+9 GMT-0 GMT-1 GMT-10 GMT-11 GMT-12 GMT-13',
		'GMT-14 GMT-2 GMT-3 GMT-4 GMT-5 GMT-6 GMT-7 GMT-8 GMT-9 GMT0 Greenwich UCT UTC Universal Zulu',
	].join(' '),
	Europe: 'Belfast Kyiv Nicosia Tiraspol Uzhgorod Zaporozhye',
	Mexico: 'BajaNorte BajaSur General',
	Pacific: 'Chuuk Johnston Kanton Pohnpei Samoa Yap',
	US: 'Alaska Aleutian Arizona Central East-Indiana Eastern Hawaii Indiana-Starke Michigan Mountain Pacific Samoa',
};

let names: ReadonlySet<string> | undefined;

/** What is wrong with a name that should be a zone's; Go takes it for the path of a file. */
export function zoneFault(name: string): string | undefined {
	if (name === '' || name === 'Local' || isTimeZone(name)) return undefined;
	return name.includes('..') || /^[/\\]/.test(name) ? 'time: invalid location name' : `unknown time zone ${name}`;
}

function isTimeZone(name: string): boolean {
	names ??= new Set([
		...Intl.supportedValuesOf('timeZone'),
		...Object.entries(LINKS).flatMap(([area, places]) => places.split(' ').map((place) => (area === '' ? place : `${area}/${place}`))),
	]);
	return names.has(name);
}
