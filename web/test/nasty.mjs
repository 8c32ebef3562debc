// What strangers may call themselves, say, or write into files.
export const NASTY = [
  '<img src=x onerror=alert(1)>',
  '<script>alert(1)</script>',
  '"><svg onload=alert(1)>',
  '<iframe srcdoc="<script>parent.alert(1)</script>">',
  '{{constructor.constructor("alert(1)")()}}',
  'javascript:alert(1)',
  '\u202Egnp.exe',
  '&lt;b&gt;',
  'https://evil.example/',
  '𝕬'.repeat(70),
  '\u0000\u0007',
  'a'.repeat(140),
];
