#!/bin/sh
# page-licences.sh PAGE - prints the licences of what is in PAGE, prof view's page, which holds them.
sed -n '/<summary>Software in this page/,/<\/pre>/p' "$1" |
    sed 's/.*<pre>//; s/<\/pre>.*//; s/&lt;/</g; s/&gt;/>/g; s/&quot;/"/g; s/&amp;/\&/g'
