#!/bin/sh
# page-licences.sh PAGE - prints the licences that PAGE holds: those of what is in prof view's page.
sed -n '/<summary>Software in this page/,/<\/pre>/p' "$1" |
    sed 's/.*<pre>//; s/<\/pre>.*//; s/&lt;/</g; s/&gt;/>/g; s/&quot;/"/g; s/&amp;/\&/g'
